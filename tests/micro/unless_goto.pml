/* Jumps out of the main sequence, out of the escape, and into the main sequence. */
byte x;
bool stop;

active proctype P() {
	{
		x = 1;
inside:		x = x + 2;
		if
		:: x == 3 -> goto out
		:: x > 3 -> x = 4
		fi;
		x = 5
	} unless { stop -> stop = 0; x = 6; goto inside };
	x = 7;
out:	x = 8
}

active proctype Q() { stop = 1; x = 0 }
