/* A block declares a name that the body around it declares again, later. */
byte out;

active [2] proctype P() {
	out++;
	{ byte n = 4; n++; out = out + n };
	short n = -1;
	out = out + n
}
