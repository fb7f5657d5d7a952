/* A jump to a label inside an atomic: the rest runs atomically from there. */
byte x;

active [2] proctype P() {
	if
	:: x == 0 -> x = 1; goto middle
	:: x == 1 -> x = 2
	:: else -> goto middle
	fi;
	atomic {
		x++;
		x++;
middle:		x++;
		x++
	};
	x = 0
}
