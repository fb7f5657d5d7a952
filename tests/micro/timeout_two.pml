/* Two processes wait for a timeout: either of them may have it. */
byte x;

active [2] proctype P() {
	x++;
	timeout -> x = x + 2;
	timeout
}

active proctype Q() { x == 4; x = 0 }
