/* An atomic inside a d_step is part of the one step. */
byte x;

active [2] proctype P() {
	d_step { x++; atomic { x++; x++ }; x-- };
	x = x - 1
}
