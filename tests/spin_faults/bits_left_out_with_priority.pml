/* With priorities SPIN takes the bits of a process for padding: states that differ are one. */
byte v;
active proctype A() { unsigned w : 2; w = v }
init { v = 1 }
proctype B() priority 2 { skip }
