/* The escape is a rendezvous receive: the sender can always get through. */
chan c = [0] of { byte };
byte x, v;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { c?v; x = v };
	x = 0
}

active proctype Q() { x = x + 10; c!7; x = x + 10 }
