/* A deterministic proctype. */
byte x;

D_proctype One(byte k) { if :: x < 2 -> x = x + k :: x >= 2 -> x = 0 fi; x++ }
active D_proctype Two() { do :: x < 3 -> x++ :: x >= 3 -> break od }

init { run One(1); run One(2) }
