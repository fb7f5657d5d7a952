/* Two labels on one statement; jumps to both. */
byte x;

active [2] proctype P() {
	if
	:: x == 0 -> x = 1; goto one
	:: x == 1 -> x = 2; goto two
	:: else
	fi;
	x = 4;
one:
two:	x++;
	x == 0 || x > 1
}
