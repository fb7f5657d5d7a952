/* Fields of a record with initial values. */
typedef Point { byte x = 3; short y = -4; bit on = 1; byte a[2] = 7 };
Point p;
Point ps[2];
byte ok;

active proctype P() {
	Point q;
	assert(p.x >= 3 && p.y == -4 && ps[1].a[1] == 7);
	q.x = q.x + ps[1].x + ps[0].x;
	ps[q.x - 8].y = q.y + p.x;
	ok = q.a[0]
}

active proctype Q() { p.x++; p.on = 0 }
