/* The main sequence holds an atomic: the escape is looked at inside it too. */
byte x;
bool stop;

active proctype P() {
	{ atomic { x = 1; x = 2; stop = 1; x = 3 }; x = 4 } unless { stop -> x = 10; stop = 0 };
	x = 5
}

active proctype Q() { x = 7 }
