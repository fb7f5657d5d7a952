/* A process offers a send and a receive on the same rendezvous channel. */
chan c = [0] of { byte };
byte x;

active [2] proctype P() {
	byte v;
	if
	:: c!_pid
	:: c?v -> x = x + v + 1
	fi
}
