/* Jumps backwards make a loop without a do. */
byte x;

active [2] proctype P() {
again:
	if
	:: x < 3 -> x++; goto again
	:: x > 0 -> x--
	:: x == 3 -> goto again
	fi;
	x == 0
}
