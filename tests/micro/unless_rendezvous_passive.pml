/* The escape is possible and a partner offers a rendezvous for the main sequence. */
chan c = [0] of { byte };
byte x, v;
bool stop;

active proctype P() {
	{ c?v; x = v; c?v } unless { stop -> x = 10; stop = 0 };
	x++
}

active proctype Q() { if :: stop = 1; c!3 :: c!4; stop = 1; c!5 fi }
