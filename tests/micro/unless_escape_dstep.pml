/* The escape is a d_step. */
byte x;
bool stop;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { d_step { stop -> x = 10; x = 11 } };
	x = 0
}

active proctype Q() { stop = 1; x = x + 50 }
