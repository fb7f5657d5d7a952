/* A channel is sent in a message, and used by who receives it. */
chan server = [1] of { chan, byte };
byte answers;

active proctype Server() {
	chan back; byte v;
	end: do
	:: server?back,v -> back!v * 2
	od
}

active [2] proctype Client() {
	chan mine = [1] of { byte };
	byte r;
	server!mine,_pid;
	mine?r;
	assert(r == 2 * _pid);
	answers++
}
