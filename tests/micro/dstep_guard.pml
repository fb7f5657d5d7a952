/* A d_step may start when its first statement is executable. */
byte x, y;

active [2] proctype P() {
	do
	:: d_step { x < 3 -> x++; y = x }
	:: d_step { y == 3; y = 0; x = 0 } ; break
	:: x == 3 -> break
	od
}
