/* A d_step guarded by a rendezvous receive. */
chan c = [0] of { byte };
byte x, y;

active proctype S() { c!1; c!2; y = 5 }

active [2] proctype R() {
	d_step { c?x; x = x + 10; y = x };
	y++
}
