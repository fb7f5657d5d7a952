/* The escape is an atomic: it is taken as a whole. */
byte x;
bool stop;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { atomic { stop -> x = 10; x = 11; stop = 0 } };
	x = 0
}

active proctype Q() { stop = 1; x = x + 50; x = 7 }
