/* The condition of a receiver is asked also for a rendezvous that another one begins. */
chan c = [0] of { byte };
byte x;
bool ok;

active proctype R() provided (ok) { byte v; c?v; x = v }
active proctype S() { if :: c!1 :: x = 5 fi; ok = 1; if :: c!2 :: skip fi }
