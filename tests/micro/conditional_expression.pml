/* Conditional expressions, nested, as guards and as arguments. */
byte x = 1, y;
chan q = [1] of { byte };

active proctype P() {
	y = (x > 1 -> 10 : 20);
	y = (x == 1 -> (y > 5 -> 1 : 2) : (y < 5 -> 3 : 4));
	(x == 2 -> y == 3 : true);
	q!(x > 1 -> 7 : 8);
	assert((len(q) == 1 -> q?[7] || q?[8] : false))
}

active proctype Q() { x = 2; y = 3 }
