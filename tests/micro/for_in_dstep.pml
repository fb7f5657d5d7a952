/* A for inside a d_step and inside an atomic. */
byte i, n;

active [2] proctype P() {
	d_step { for (i : 1..4) { n = n + i } i = 0 };
	atomic { for (i : 1..2) { n-- } i = 0 };
	n--
}
