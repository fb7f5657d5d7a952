/* A short runs over its ends. */
short s = 32766;
int i = 2147483647;

active proctype P() { s++; s++; s--; s = 100000; s = i; s = i - 70000 }
active proctype Q() { s = -32768; s-- }
