/* Expressions in the fields of a send, and both ways to write them. */
chan q = [2] of { byte, byte, bool };
byte x = 3, y;

active proctype P() {
	q!(x + 1) * 2, len(q), x > 2;
	q!x(y - 1, !x);
	q?y,x,_;
	q?3(y, 0)
}

active proctype Q() { x = 5 }
