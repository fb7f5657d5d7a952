/* Breaks inside an atomic: out of a loop in it, and out of a loop around it. */
byte x, y;

active [2] proctype P() {
	do
	:: atomic {
		x < 4 -> x++;
		do
		:: y < 2 -> y++
		:: y >= 2 -> y = 0; break
		od;
		if
		:: x >= 3 -> break
		:: x < 3
		fi;
		y = 1
	}
	od;
	y = 0
}
