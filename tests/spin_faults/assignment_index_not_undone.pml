/* An assignment changes its own index: SPIN restores another element. */
byte a[2];
active proctype P() { a[a[0] + 1 - 1] = 1 }
active proctype Q() { skip }
active proctype R() { byte x; x = a[0] + a[1] }
