/* A sender inside an atomic meets a receiver that is in none. */
chan c = [0] of { byte };
byte x, y;

active proctype S() {
	atomic { x = 1; c!3; x = 2; c!4; x = 3 }
}

active proctype R() {
	c?y; y = 9; c?y; y = 8
}
