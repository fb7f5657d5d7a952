/* A finished process that cannot go yet still counts and can still be looked at. */
byte x;

active proctype A() { byte k = 4; x = 1; here: x = 2; k = 5 }
active proctype B() { A@here -> x == 2 -> x = _nr_pr; !A@here -> x = A:k }
