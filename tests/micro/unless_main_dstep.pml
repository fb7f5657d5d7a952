/* The main sequence holds a d_step: the escape is looked at before it only. */
byte x;
bool stop;

active proctype P() {
	{ d_step { x = 1; stop = 1; x = 3 }; x = 4 } unless { stop -> x = 10; stop = 0 };
	x = 5
}

active proctype Q() { x = 7; stop = 1 }
