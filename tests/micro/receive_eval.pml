/* eval in a receive compares with the present value of an expression. */
chan q = [3] of { byte, byte };
byte want = 2, x;

active proctype P() { q!2,5; q!3,6; q!3,7 }

active proctype Q() {
	byte v;
	q?eval(want),v;
	want = v - 2;
	q?eval(want),eval(v + 1);
	q?want,eval(want + 4);
	x = want
}
