/* A loop of atomics and single steps. */
byte x, y;

active [2] proctype P() {
	do
	:: atomic { x < 3 -> x++; y = x } ; y = 0
	:: x == 3 -> break
	od
}
