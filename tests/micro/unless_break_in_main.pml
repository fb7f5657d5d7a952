/* A break inside the main sequence leaves the loop around the unless. */
byte x;
bool stop;

active proctype P() {
	do
	:: x < 2 -> { x++; if :: x == 1 -> break :: x == 2 fi } unless { stop -> x = 10 }
	:: x >= 2 -> x = 0
	od;
	x++
}

active proctype Q() { stop = 1; stop = 0; x = 0 }
