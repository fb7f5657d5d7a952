/* Arrays declared late, with and without a value: the step sets the first element only. */
byte g;

active proctype P() {
	g = 1;
	byte a[3];
	a[1] = g;
	byte b[2] = 4;
	g = a[1] + b[1];
	g = a[2] + b[0]
}

active proctype Q() { g = 2 }
