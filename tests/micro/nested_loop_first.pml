/* A loop as the first statement of an option: leaving it is part of the outer loop. */
byte x, y;

active [2] proctype P() {
	do
	:: do
	   :: x < 2 -> x++
	   :: x == 2 -> y++; break
	   od; if :: y < 3 -> x = 0 :: y >= 3 -> y = 2 fi
	:: y >= 2 -> break
	od
}
