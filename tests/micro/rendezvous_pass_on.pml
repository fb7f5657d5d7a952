/* The receiver's atomic sends on by rendezvous: the control moves along a row. */
chan c[3] = [0] of { byte };
byte x;

proctype Link(byte i) {
	byte v;
	atomic { c[i]?v; x = x + v; c[i + 1]!v + 1; x++ }
}

init {
	atomic { run Link(0); run Link(1) };
	byte w;
	if
	:: c[0]!5 -> c[2]?w; x = w
	fi
}
