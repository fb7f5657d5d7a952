/* Messages are received into elements of an array, also with a variable index. */
chan q = [2] of { byte, byte };
byte a[3], i;

active proctype P() { q!1,7; q!2,8; q!0,9 }

active proctype Q() {
	q?i,a[0];
	q?a[i],a[2];
	q?a[0],a[i]
}
