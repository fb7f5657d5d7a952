/* An option that is an atomic is chosen by its guard, and may then block. */
byte x;
bool go;

active proctype P() {
	if
	:: atomic { x == 0 -> x = 1; go -> x = 2 }
	:: atomic { x < 5 -> x = 7; x == 8 -> x = 9 }
	fi;
	x++
}

active proctype Q() {
	if
	:: go = true
	:: x == 7 -> x = 8
	:: skip
	fi
}
