/* Unsigned fields in a record. */
typedef F { unsigned lo : 4; unsigned hi : 4; byte b };
F f;
F g[2];

active proctype P() { f.lo = 17; f.hi = f.lo - 2; f.b = f.hi; g[1].lo = f.b; g[0].hi = g[1].lo + 1 }
active proctype Q() { f.lo = 3; f.hi++ }
