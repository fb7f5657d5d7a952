/* A select over negative numbers into a short. */
short x;

active proctype P() { select(x : -2..2); x = -x; assert(x >= -2 && x <= 2) }
