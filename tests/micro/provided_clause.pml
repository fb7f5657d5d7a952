/* A process moves only while its condition holds. */
byte turn, x;

active proctype A() provided (turn == 0) { x++; turn = 1; x++; turn = 1 }
active proctype B() provided (turn == 1) { x = x * 2; turn = 0; x = x * 2; turn = 0 }
