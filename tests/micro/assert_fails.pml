/* An assertion fails on some ways only; the search goes on behind it. */
byte x;

active [2] proctype P() { x++; assert(x != 2); x = 4; assert(x > 3 && x < 5) }
