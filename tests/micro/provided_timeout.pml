/* A timeout becomes true when all that could move are forbidden to. */
byte x;
bool open;

active proctype A() provided (open) { x++; x++ }
active proctype B() { x = 5; timeout -> open = 1; timeout -> x = 0 }
