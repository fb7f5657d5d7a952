/* The escape waits for a message. */
chan q = [2] of { mtype };
mtype = { stop, pause };
byte x;

active proctype P() {
	do
	:: x < 4 -> { x = 1; x = 2 } unless { q?pause -> x = 3 }
	:: q?stop -> break
	od unless { x == 3 -> x = 4 }
}

active proctype Q() { q!pause; q!stop }
