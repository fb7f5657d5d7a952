/* Labels in the main sequence and in the escape, looked at by another process. */
byte x;
bool stop;

active proctype P() {
	{ x = 1; work: x = 2; x = 3 } unless { stop -> rescue: x = 10 };
	x = 0
}

active proctype Q() {
	if
	:: P@work -> stop = 1
	:: P@rescue -> x = 4
	:: x == 3 -> x = 5
	fi
}
