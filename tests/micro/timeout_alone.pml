/* A timeout is true only when no process can do anything else. */
byte x;

active proctype P() {
	do
	:: x == 2 -> x = 3; break
	:: timeout -> x++
	od
}

active proctype Q() {
	x == 1 -> x = 2
}
