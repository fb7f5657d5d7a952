/* The same label names in two proctypes, and jumps that stay at home. */
byte x;

active proctype A() {
again:	if
	:: x < 2 -> x++; goto again
	:: x >= 2 -> goto out
	fi;
out:	x++
}

active proctype B() {
out:	if
	:: x > 0 -> x--; goto again
	:: x == 0 -> goto again
	fi;
again:	if :: x < 3 -> x++ :: x == 3 -> x = 0; goto out fi
}
