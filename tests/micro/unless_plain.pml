/* A statement with an escape: when both can go, the escape goes. */
byte x;
bool stop;

active proctype P() {
	x = 1 unless stop;
	x = 2;
	{ x = 3; x = 4 } unless { stop -> x = 20; x = 21 };
	x = 5
}

active proctype Q() { stop = true; x = 9; stop = false }
