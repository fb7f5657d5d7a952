/* A d_step that begins with a choice waits until one of its options can be taken. */
byte x;

active [2] proctype P() {
	d_step {
		if
		:: x == 1 -> x = 3
		:: x == 2 -> x = 4
		fi;
		x++
	}
}

active proctype Q() {
	if :: x = 1 :: x = 2 :: x = 0 fi;
	x > 3 -> x = 1
}
