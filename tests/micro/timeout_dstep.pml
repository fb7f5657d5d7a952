/* A timeout as the guard of a d_step. */
byte x;

active [2] proctype P() {
	d_step { timeout -> x++; x++ };
	x == 4 -> x--
}

active proctype Q() { x = 0; x > 1; skip }
