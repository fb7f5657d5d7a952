/* The escape is a rendezvous send. */
chan c = [0] of { byte };
byte x, v;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { c!5; x = 30 };
	x = 0
}

active proctype Q() { x = x + 10; c?v; v = 0 }
