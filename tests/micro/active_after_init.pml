/* init stands between active proctypes and takes its number in the order of the text. */
byte p[3];

active proctype A() { p[0] = _pid + 1 }
init { p[1] = _pid + 1; run B(3) }
active proctype C() { p[2] = _pid + 1 }
proctype B(byte k) { p[2] = k + _pid }
