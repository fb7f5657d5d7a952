/* A list of initial values that is shorter than the array. */
byte a[4] = { 3, 4 };
byte x;

active proctype P() { x = a[0] + a[1]; x = a[2] + 10 * a[3]; x = 0 }
