/* A declaration behind the first statement of a body is a step that sets the variable. */
byte g;

active [2] proctype P() {
	g++;
	byte a = g;
	g = g + a;
	byte b;
	b = a;
	byte c = a + b, d;
	g = c + d
}
