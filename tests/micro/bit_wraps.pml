/* A bit and a bool keep the lowest bit only. */
bit b; bool f;
byte x;

active proctype P() { b = 3; f = 2; b++; f = -1; x = b + f }
active proctype Q() { b = x + 1; f = !b }
