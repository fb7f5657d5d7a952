/* A for over a channel takes every message once and puts it back. */
typedef M { byte v; bit f };
chan q = [3] of { M };
byte sum;

init {
	M m;
	m.v = 1; q!m;
	m.v = 2; m.f = 1; q!m;
	for (m in q) { sum = sum * 4 + m.v + m.f };
	assert(len(q) == 2)
}

active proctype P() { sum++ }
