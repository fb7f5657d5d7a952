/* Progress and accept labels change nothing in a search for safety. */
byte x;

active proctype P() {
	do
	:: x < 3 -> x++;
progress_a:	goto back;
back:		skip
	:: x == 3 ->
accept_b:	x = 0; break
	od;
progress: x = 1
}

active proctype Q() { x = 2 }
