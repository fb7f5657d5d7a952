/* The escape of an unless has an escape of its own. */
byte x;
bool a, b;

active proctype P() {
	{ x = 1; x = 2 } unless { { a -> x = 3; x = 4 } unless { b -> x = 5; x = 6 } };
	x = 7
}

active proctype Q() { a = 1; b = 1 }
