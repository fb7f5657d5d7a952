/* Division and remainder, also of negative numbers. */
int a = -7, q, r;

active proctype P() {
	q = a / 2; r = a % 2;
	assert(q == -3 && r == -1);
	q = 7 / -2; r = 7 % -2;
	assert(q == -3 && r == 1);
	q = 100 / 7 / 2; r = 100 % 7 * 2
}
