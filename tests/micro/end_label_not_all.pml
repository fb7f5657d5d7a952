/* One process stands at its end label, the other does not: still an invalid end state. */
byte x;

active proctype P() { end: x == 1 }
active proctype Q() { x == 2 }
