/* A break inside the escape leaves the loop around the unless. */
byte x;
bool stop;

active proctype P() {
	do
	:: x < 2 -> { x++; x++ } unless { stop -> x = 10; break }
	:: x == 2 -> x = 0
	od;
	x++
}

active proctype Q() { stop = 1; x = 0; stop = 0 }
