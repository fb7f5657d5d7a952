/* The end of a process follows its last atomic as a step of its own. */
byte x;

active proctype P() { atomic { x = 1; x = 2 } }
active proctype Q() { atomic { x = 3; x = 4 } }
active proctype R() { x = 5; atomic { x = 6; x = 7 } }
