/* The variable received is compared in the same receive: SPIN puts another message back. */
chan c = [1] of { byte, bit };
byte v;
init { run P(); skip }
proctype P() { c!1, 0; c?v, eval(v) }
