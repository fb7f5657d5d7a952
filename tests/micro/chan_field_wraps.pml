/* A message field holds what fits its type. */
chan q = [2] of { byte, bit, short };
byte b, k;
int n;

active proctype P() {
	q!300,3,70000;
	q!-1,2,-40000;
	q?b,k,n;
	assert(b == 44 && k == 1 && n == 4464);
	q?b,k,n;
	assert(b == 255 && k == 0 && n == 25536)
}
