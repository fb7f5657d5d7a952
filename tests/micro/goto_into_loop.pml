/* A jump to a label inside a loop, in an option of it. */
byte x;

active [2] proctype P() {
	goto inner;
	do
	:: x < 4 -> x++;
inner:		x++
	:: x >= 4 -> break
	od;
	x--
}
