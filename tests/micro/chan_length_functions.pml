/* len, full, empty, nfull and nempty as guards and in expressions. */
chan q = [2] of { byte };
byte x;

active proctype P() {
	do
	:: nfull(q) -> q!1
	:: full(q) -> x = len(q); break
	od
}

active proctype Q() {
	byte v;
	do
	:: nempty(q) -> q?v
	:: empty(q) -> x = x + 1; break
	:: len(q) == 1 && x == 0 -> x = 5
	od
}
