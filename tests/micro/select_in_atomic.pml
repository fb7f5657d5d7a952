/* A select inside an atomic: one step, as many ways as there are values. */
byte x, sum;

active [2] proctype P() {
	byte v;
	atomic { select(v : 1..3); sum = sum + v };
	sum > 3
}
