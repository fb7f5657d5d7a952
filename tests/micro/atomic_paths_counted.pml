/* Choices inside an atomic: every path to its end is a transition, also to the same state. */
byte x;

active proctype P() {
	atomic {
		if :: x = 1 :: x = 2 :: x = 3 fi;
		if :: x = 4 :: x = 5 fi;
		if :: x = 6 :: x = 6 fi
	};
	x = 0
}

active proctype Q() {
	x = 10
}
