/* A rendezvous that cannot take place, beside an else. */
chan c = [0] of { byte };
byte x;

active proctype R() {
	byte v;
	do
	:: c?v -> x = v; break
	:: else -> x++; if :: x > 2 -> break :: x <= 2 fi
	od
}

active proctype S() { c!7 }
