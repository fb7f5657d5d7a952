/* A jump out of an atomic gives the control away at its target. */
byte x;

active [2] proctype P() {
	atomic {
		x++;
		if
		:: x == 1 -> goto out
		:: x > 1 -> x = 0
		fi;
		x++
	};
	x++;
out:	x++;
	x--
}
