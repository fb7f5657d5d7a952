/* A local channel is gone with its process; a younger one takes its place. */
chan shared;
byte x;

proctype Maker(byte v) {
	chan c = [1] of { byte };
	c!v;
	shared = c;
	x++
}

init {
	run Maker(3);
	x == 1;
	_nr_pr == 1;
	run Maker(4);
	x == 2;
	x = 0
}
