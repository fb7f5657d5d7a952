/* The variable received is an index of the channel: SPIN undoes the receive on another channel. */
chan c[2] = [1] of { byte, bit };
byte i;
active proctype A() { c[1]!0, 1 }
active proctype B() { i = 1 }
active proctype C() { c[i]?i, 1 }
