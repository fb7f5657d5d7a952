/* A d_step inside a d_step. */
byte x;

active [2] proctype P() {
	d_step { x++; d_step { x++; x++ }; x = x - 2 };
	x++
}
