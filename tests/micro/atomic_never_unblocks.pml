/* An atomic that blocks for ever leaves an invalid end state in its middle. */
bool never_set;
byte x;

active proctype P() {
	atomic { x = 1; x = 2; never_set; x = 3 }
}

active proctype Q() {
	x = 5; x = 6
}
