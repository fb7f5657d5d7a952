/* An assertion fails in the middle of a d_step. */
byte x;

active [2] proctype P() { d_step { x++; assert(x < 2); x = x + 2 }; x-- }
