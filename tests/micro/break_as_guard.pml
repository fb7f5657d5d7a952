/* A break that is the guard of an option is a step, and always possible. */
byte x;

active [2] proctype P() {
	do
	:: x < 2 -> x++
	:: break
	od;
	do
	:: break
	od;
	x--
}
