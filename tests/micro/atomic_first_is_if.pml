/* An atomic that begins with a choice may start when one of the options may. */
byte x, y;

active [2] proctype P() {
	atomic {
		if
		:: x < 2 -> x++
		:: y < 1 -> y++; x = 0
		fi;
		y = y + x;
	};
	y > 2 -> y = y - 1
}
