/* Inlines that hold an atomic, a d_step and a loop with a break. */
byte x, sem = 1;

inline acquire() { atomic { sem > 0 -> sem-- } }
inline release() { d_step { sem++; x = 0 } }
inline wait_for(n) { do :: x < n -> x++ :: x >= n -> break od }

active [2] proctype P() { acquire(); wait_for(2); release() }
