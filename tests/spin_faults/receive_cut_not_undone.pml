/* SPIN undoes a receive with the value that the variable kept: what was cut off is lost from the message. */
chan c = [1] of { byte, byte };
active proctype A() { skip }
active proctype B() { c!255, 0 }
active proctype C() { bit b; c?b, 0 }
