/* A timeout as the guard of an atomic and in the middle of one. */
byte x;

active proctype P() {
	atomic { timeout -> x = 1; x = 2 };
	atomic { x = 3; timeout; x = 4; x = 5 };
	x = 6
}

active proctype Q() { x = 10; x == 5; x = 11 }
