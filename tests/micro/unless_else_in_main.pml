/* An else in the main sequence of an unless. */
byte x;
bool stop;

active proctype P() {
	{
		if
		:: x == 1 -> x = 2
		:: else -> x = 3; x = 4
		fi
	} unless { stop -> x = 10 }
}

active proctype Q() { x = 1; stop = 1 }
