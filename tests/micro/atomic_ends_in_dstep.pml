/* The last statement of an atomic is a d_step. */
byte x;

active [2] proctype P() {
	atomic { x++; x++; d_step { x--; x++; x-- } };
	x--
}
