/* A hidden variable as a scratch pad inside a d_step and an atomic. */
hidden byte h;
byte x;

active [2] proctype P() { d_step { h = x; h = h * 2; x = h + 1; h = 0 }; atomic { h = 3; x = x + h; h = 0 } }
