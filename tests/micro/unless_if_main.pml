/* The main sequence is a choice: the escape guards the choice and all that follows in it. */
byte x;
bool stop;

active proctype P() {
	if
	:: x == 0 -> x = 1; x = 2
	:: x == 5 -> x = 6; x = 7
	fi unless { stop -> x = 10 };
	x = 0
}

active proctype Q() { if :: x = 5 :: stop = 1 fi; stop = 0; stop = 1 }
