/* A d_step takes the first option that is executable, and no other. */
byte x;

active [2] proctype P() {
	d_step {
		if
		:: x == 1 -> x = 5
		:: x < 9 -> x = x + 1
		:: true -> x = 100
		fi;
		if
		:: x = x + 2
		:: x = 0
		fi
	};
	x--
}
