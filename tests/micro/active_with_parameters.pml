/* An active proctype may have parameters: they start at zero. */
byte x;

active proctype P(byte a; short b) { x = a + b + 1; run Q(x) }
proctype Q(byte c) { x = x + c }
