/* A for over an array runs over its indices. */
byte a[3] = 5, sum;

active proctype P() {
	byte i;
	short b[2];
	for (i in a) { a[i] = a[i] + i; sum = sum + a[i] }
	for (i in b) { b[i] = -i }
}

active proctype Q() { a[2] = 1 }
