/* A record and a channel variable declared in the middle of a body. */
typedef T { byte a; byte b };
byte g;
chan q = [1] of { byte };

active proctype P() {
	g = 1;
	T t;
	t.a = g + 1;
	chan c;
	c = q;
	c!t.a;
	g = t.b
}

active proctype Q() { byte v; q?v; g = v }
