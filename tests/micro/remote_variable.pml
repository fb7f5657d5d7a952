/* A process reads the local variables of another one. */
byte out;

active proctype P() {
	byte v = 1;
	short w[2];
	v = 2; w[1] = -1; v = 3
}

active proctype Q() {
	P:v == 2 -> out = P:v;
	out = P[0]:v + 1
}
