/* A finished process must wait for the younger one, which is stuck. */
byte x;

active proctype Old() { x = 1 }
active proctype Young() { x == 2 -> x = 3 }
