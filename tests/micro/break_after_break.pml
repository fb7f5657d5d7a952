/* The break of an inner loop is the last thing of the body of the outer one. */
byte x;

active [2] proctype P() {
	do
	:: do
	   :: x == 0 -> x++; break
	   :: x == 1 -> break
	   od
	:: x == 1 -> x++; break
	:: x == 2 -> break
	od
}
