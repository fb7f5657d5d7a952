/* The escape is a timeout: it fires when the main sequence and all others are stuck. */
byte x;
bool b;

active proctype P() {
	{ x = 1; b; x = 2 } unless { timeout -> x = 3; b = 1 };
	x = 4
}

active proctype Q() { b == 1 -> x = 9 }
