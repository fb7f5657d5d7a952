/* Numbers in all the forms of writing: character quotes, negative ones, constant expressions. */
#define SIZE (2 + 1)
byte a[SIZE * 2 - 1], c = 'A';
chan q = [SIZE - 2] of { byte };

active proctype P() {
	c = c + 'b' - 'a';
	a[SIZE + 1] = '\n';
	q!'z';
	q?'z';
	c = -1 + 3 - - 2
}

active proctype Q() { c = a[4] }
