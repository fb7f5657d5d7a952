/* Both sides of a rendezvous stand at the start of a d_step. */
chan c = [0] of { byte };
byte x, y;

active proctype R() { d_step { c?x; x++; x++ }; y = 2 }
active proctype S() { atomic { c!5; y = 1 } }
