/* A jump from the middle of one atomic into the middle of another. */
byte x, y;

active [2] proctype P() {
	atomic {
		x++;
		if
		:: x == 1 -> x++; goto inside
		:: else
		fi;
		x--
	};
	y = 1;
	atomic {
		y++;
inside:		y++;
		x++
	};
	y = 0
}
