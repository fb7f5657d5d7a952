/* An else inside a d_step is taken when the options beside it fail. */
byte x;

active [3] proctype P() {
	d_step {
		if
		:: x == 1 -> x = 2
		:: else -> x++
		fi;
		if
		:: else -> x = x + 2
		:: x > 2 -> x--
		fi
	}
}
