/* A never claim that reaches its end: a violation. */
byte x;

active [2] proctype P() { x++; x++ }

never { do :: x < 3 :: x == 3 -> break od }
