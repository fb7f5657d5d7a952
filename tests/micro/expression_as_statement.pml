/* An expression is a statement that waits until it is not zero. */
byte x;
short s = -1;

active proctype P() { s; x; x - 2; !x || x == 3; -1; 2 * x; x = 0 }
active proctype Q() { x = 1; x = 2; x = 3; s = 0 }
