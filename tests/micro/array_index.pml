/* Indices that are expressions, elements of other arrays, or calls of len. */
byte a[4], b[4] = 1, i;
chan q = [3] of { byte };

active proctype P() {
	a[b[2]] = 3;
	a[b[3] + 1] = 2;
	q!1;
	a[len(q) + 1] = a[b[b[0]] - 1];
	i = a[a[3]];
	b[i % 4] = a[(i + 1) % 4]
}

active proctype Q() { i = 2; b[i] = 2 }
