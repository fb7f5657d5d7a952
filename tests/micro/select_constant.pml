/* A select between constants gives every value of the range. */
byte x, y;

active proctype P() {
	select(x : 2..5);
	y = x;
	select(x : 1..1);
	y = x
}

active proctype Q() { y = 9 }
