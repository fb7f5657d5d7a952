/* Priorities given at run. */
byte x;

proctype P(byte k) { x = x * 3 + k; x++ }

init {
	run P(1) priority 3;
	run P(2) priority 1;
	run P(3) priority 3;
	x++
}
