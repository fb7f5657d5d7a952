/* Loops that are left by jumps only. */
byte x;

active [2] proctype P() {
	do
	:: x < 2 -> x++
	:: x == 2 -> goto out
	:: x > 2 -> x--; goto far
	od;
	x = 7;
out:	x++;
far:	x++
}
