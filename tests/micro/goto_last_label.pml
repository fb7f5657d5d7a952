/* A label with nothing behind it at the end of a body stands for a skip. */
byte x;

active [2] proctype P() {
	if
	:: x == 0 -> x++; goto out
	:: x > 0 -> x = 5
	fi;
	x++;
out:
}
