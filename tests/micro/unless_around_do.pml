/* A loop that is left only through an escape. */
byte x;
bool stop;

active proctype P() {
	do
	:: x < 3 -> x++
	:: x > 0 -> x--
	od unless stop;
	x = 9
}

active proctype Q() { x == 2; stop = true }
