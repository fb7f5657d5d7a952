/* Local variables start from parameters, globals and other locals. */
byte g = 5, seen;

proctype P(byte p) {
	byte a = p + 1;
	byte b = a + g;
	byte c[2] = b;
	seen = c[1];
	assert(seen > p)
}

init { run P(1); g = 6; run P(2) }
