/* An atomic whose last statement is a choice: each option ends the atomic. */
byte x;

active [2] proctype P() {
	atomic {
		x++;
		if
		:: x == 1 -> x = 4
		:: x == 2 -> skip
		:: x > 2 -> x++; x--
		:: else
		fi
	};
	x++
}
