/* A select inside an inline, whose bounds are arguments. */
byte x, y;

inline pick(v, n) { select(v : 0..n); v++ }

active proctype P() { pick(x, 2); pick(y, x) }
