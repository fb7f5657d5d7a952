/* Comparisons of variables of different width and sign. */
byte b = 255;
short s = -1;
int i = -1;
bit k = 1;

active proctype P() {
	byte n;
	n = (b == s) + (s == i) * 2 + (b > i) * 4 + (k == b) * 8;
	assert(n == 6);
	b = i; s = b; i = b + 1;
	assert(s == 255 && i == 256)
}

active proctype Q() { k = 0 }
