/* Shifts, bit operators and their order of binding. */
int a = 5, b;

active proctype P() {
	b = a << 3;
	b = b >> 1 | 1;
	b = ~b;
	b = b & 255 ^ 15;
	b = 1 << 2 + 1;
	b = -16 >> 2;
	b = a | 2 & 6 ^ 1;
	assert(b == (a | ((2 & 6) ^ 1)))
}
