/* Loops in loops, with a break and a jump out of them. */
byte i, j, n;

active proctype P() {
	for (i : 0..2) {
		for (j : 0..i) {
			if :: j == 1 -> break :: else fi;
			n++
		}
		if :: n > 1 -> goto out :: else fi
	}
	n = 0;
out:	n++
}

active proctype Q() { n++ }
