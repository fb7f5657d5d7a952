/* Unsigned variables of odd widths wrap at their own size. */
unsigned u : 3 = 6, w : 5;
unsigned one : 1;
byte x;

active proctype P() {
	unsigned v : 2 = 3;
	u++; u++;
	w = u - 1;
	v = v + 2;
	one = v;
	x = u + v + w
}

active proctype Q() { u = 12; w = 40; x = u * 4 + w }
