/* A proctype that is never run, and a run whose process waits for its parent. */
byte x;

proctype Unused() { x = 99 }
proctype Waits(pid parent) { x == parent + 5 -> x = 0 }

init { run Waits(_pid); x = 5; x == 0 }
