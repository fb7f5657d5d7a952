/* A record as the field of a message is sent field by field. */
typedef Pair { byte a; short b[2] };
chan q = [2] of { Pair, bit };
Pair out;

active proctype P() {
	Pair p;
	p.a = 1; p.b[0] = -2; p.b[1] = 300;
	q!p,1;
	p.a = 2;
	q!p,0
}

active proctype Q() {
	Pair r; bit f;
	q?r,f;
	out.b[1] = r.b[0] + r.a;
	q?out,f;
	assert(out.a == 2 && out.b[1] == 300)
}
