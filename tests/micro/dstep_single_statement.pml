/* A d_step around one statement. */
byte x;

active [2] proctype P() {
	d_step { x++ };
	d_step { x > 0 };
	d_step { skip };
	d_step { if :: x > 1 -> x = 0 :: else fi }
}
