/* The main sequence does rendezvous, in both directions, and is escaped from. */
chan c = [0] of { byte };
byte x, v;
bool stop;

active proctype P() {
	{ c!1; c?v; c!2 } unless { stop -> x = 1 };
	x = x + 2
}

active proctype Q() {
	byte w;
	c?w; if :: c!w :: stop = 1 fi; if :: c?w :: stop = 1; stop = 0 fi
}
