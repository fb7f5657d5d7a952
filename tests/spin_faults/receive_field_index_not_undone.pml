/* A variable received is an index of a later field: SPIN restores another element. */
chan q = [2] of { byte, byte };
byte a[3], i;
active proctype P() { q!1, 7; q!2, 8 }
active proctype Q() { q?i, a[i]; q?i, a[i] }
active proctype R() { i = 2 }
