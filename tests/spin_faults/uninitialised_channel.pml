/* SPIN reads memory that is no channel, and ends the whole search. */
chan keep;
active proctype P() { chan c = [1] of { byte }; c!1; keep = c }
active proctype Q() { byte i; keep?i }
