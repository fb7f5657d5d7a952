/* Arguments of run are expressions, and are cut to the type of the parameter. */
byte a, b;
short c;

proctype P(byte x; bit y; short z) {
	a = x; b = y; c = z
}

init {
	byte k = 200;
	run P(k + 100, k, -k * 200);
	run P(a, b + 2, c)
}
