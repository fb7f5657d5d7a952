/* Jumps as guards inside an atomic, with targets inside and outside of it. */
byte x;

active [2] proctype P() {
	atomic {
		x++;
		if
		:: goto in
		:: goto out
		:: x > 1 -> x = 0
		fi;
		x = x + 3;
in:		x = x + 2;
		x++
	};
	x--;
out:	x++
}
