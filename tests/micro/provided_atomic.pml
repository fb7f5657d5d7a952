/* The condition turns false in the middle of the process's own atomic. */
byte x;
bool off;

active proctype A() provided (!off) { atomic { x = 1; off = 1; x = 2; x = 3 }; x = 4 }
active proctype B() { off -> x = x + 10; off = 0 }
