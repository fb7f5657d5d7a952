/* The length of a rendezvous channel, and whether it is full or empty. */
chan c = [0] of { byte };
byte x;

active proctype S() { c!1; x = len(c) + 1 }

active proctype R() {
	byte v;
	if
	:: nempty(c) -> x = 9
	:: len(c) == 0 && empty(c) -> x = 2
	:: full(c) -> x = 3
	fi;
	do
	:: c?v -> break
	:: nfull(c) && x < 4 -> x = 4
	od
}
