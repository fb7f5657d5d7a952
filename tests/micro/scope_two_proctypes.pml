/* The same local names in different proctypes, with different types and a label of that name. */
byte out;

active proctype A() { byte v = 200; v = v + 100; out = v }
active proctype B() { short v = 200; v = v + 100; out = v / 2 }
active proctype C() { v: out = 1; if :: out > 1 -> goto v :: out <= 1 fi }
