/* The receive stands in the middle of an atomic that has been blocked there. */
chan c = [0] of { byte };
byte x, y;

active proctype S() { x = 1; c!3; x = 2; x = 3 }

active proctype R() {
	byte v;
	atomic { y = 1; y = 2; c?v; y = v; x == 2; y = 4 };
	y = 5
}
