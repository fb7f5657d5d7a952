/* Records in records, with arrays at every level. */
typedef In { byte v[2]; bit f };
typedef Mid { In i[2]; short s };
typedef Out { Mid m; In k; byte n };
Out g;
Out h[2];

active proctype P() {
	byte j = 1;
	g.m.i[j].v[0] = 5;
	g.k.f = 1;
	h[j].m.i[0].v[j] = g.m.i[1].v[0] + 1;
	h[0].m.s = -h[1].m.i[0].v[1];
	g.n = h[j].m.i[0].v[j]
}

active proctype Q() { h[1].k.v[1] = 2; g.n = h[h[1].k.v[1] / 2].k.v[1] }
