/* A break leaves only the innermost loop. */
byte x, y;

active [2] proctype P() {
	do
	:: x < 2 ->
		do
		:: y < 2 -> y++
		:: y == 2 -> y = 0; break
		od;
		x++
	:: x >= 2 -> break
	od;
	x++
}
