/* Processes are created wherever a statement computes a value. */
byte x;
proctype P(byte a) { x = a }

init { assert(run P(1) == 1); printf("%d\n", run P(2)); _ = run P(x); x = run P(4) }
