/* An unless inside an atomic. */
byte x;
bool stop;

active proctype P() {
	atomic { x = 1; { x = 2; x = 3 } unless { stop -> x = 4; x = 5 }; x = x + 10 };
	x = 0
}

active proctype Q() { stop = 1; x = 8 }
