/* A d_step in the middle of an atomic. */
byte x;
bool go;

active [2] proctype P() {
	atomic {
		x++;
		d_step { x++; x++ };
		go;
		d_step { x > 1; x--; x-- };
		x++
	};
	x--
}

active proctype Q() { go = 1 }
