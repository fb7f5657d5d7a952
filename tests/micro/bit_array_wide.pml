/* An array of bits that is longer than a machine word. */
bit set[70];
bool flag[3];
byte n;

active proctype P() { set[69] = 1; set[0] = 3; set[33] = set[69] + 1; n = set[69] + set[0] + set[33]; flag[2] = n }
active proctype Q() { set[68] = 1; set[69] = 0; flag[1] = !flag[2] }
