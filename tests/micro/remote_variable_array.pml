/* A process reads an element of a local array of a numbered process. */
byte out;

proctype P(byte k) { byte a[2]; a[1] = k; a[0] = a[1] + 1; out == 9 }

init {
	run P(3); run P(5);
	P[2]:a[1] == 5;
	out = P[1]:a[0];
	out = out + P[2]:k;
	out = 9
}
