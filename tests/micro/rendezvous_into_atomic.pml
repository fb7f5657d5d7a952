/* The control passes from the sender's atomic to the receiver's. */
chan c = [0] of { byte };
byte x, y;

active proctype S() {
	atomic { x = 1; c!3; x = 2; x = 3 };
	x = 4
}

active proctype R() {
	byte v;
	atomic { y = 1; c?v; y = v; y = v + 1 };
	y = 0
}
