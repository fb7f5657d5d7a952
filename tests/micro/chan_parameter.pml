/* Channels as parameters of processes; the same proctype with different ones. */
chan a = [1] of { byte };
chan b = [2] of { byte };

proctype Copy(chan from; chan to) {
	byte v;
	end: do
	:: from?v -> to!v + 1
	od
}

init {
	atomic { run Copy(a, b) };
	a!1; a!2;
	byte r;
	b?r; b?r;
	assert(r == 3)
}
