/* A d_step with a loop in it is one step, however often it goes round. */
byte n = 4, sum;

active [2] proctype P() {
	d_step {
		do
		:: n > 0 -> sum = sum + n; n--
		:: n == 0 -> break
		od;
		n = 2
	};
	sum--
}
