/* A byte runs from 255 to 0 and back. */
byte b = 254, c;

active proctype P() { b++; b++; b--; b = 1000; c = -1; b = b + c }
active proctype Q() { b = 255 }
