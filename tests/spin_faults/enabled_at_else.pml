/* SPIN asks whether the caller of enabled() moved before, where it should ask for the other process. */
byte w;
active proctype P() { do :: w < 2 -> w++ :: else -> break od }
init { if :: skip :: enabled(0) fi }
