/* Arrays with a list of initial values, or with one value for all. */
byte a[3] = { 1, 2, 3 };
short b[4] = -5;
byte sum;

active proctype P() {
	byte c[2] = { 7, 8 };
	int d[3] = 9;
	sum = a[0] + a[1] * 2 + a[2] * 4;
	c[0] = c[1] + d[2];
	assert(b[3] == -5 && c[0] == 17);
	a[c[1] - 6] = 0
}

active proctype Q() { a[1] = 9; b[0] = b[1] + 1 }
