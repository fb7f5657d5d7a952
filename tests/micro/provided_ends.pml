/* The condition keeps a process from ending, too. */
byte x;

active proctype A() { x = 1; x = 2; x = 0 }
active proctype B() provided (x != 1) { x = x + 5 }
