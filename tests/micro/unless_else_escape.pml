/* The escape is a choice with an else: it is always executable, so the main sequence never runs. */
byte x;

active proctype P() {
	{ x = 1; x = 2 } unless { if :: x == 5 -> x = 6 :: else -> x = 7 fi };
	x = 8
}

active proctype Q() { x = 5 }
