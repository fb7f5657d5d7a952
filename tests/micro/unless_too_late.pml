/* Once the main sequence is over, its escape has no effect any more. */
byte x;
bool stop;

active proctype P() {
	{ x = 1; x = 2 } unless { stop -> x = 3; x == 9 }
}

active proctype Q() { x == 2 -> stop = 1 }
