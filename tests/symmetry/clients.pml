/* N clients ask one server, which answers each through a channel of its own; requests carry the client's name.
   How often each was served is counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif

mtype = { ask, yes, no };
chan request = [N] of { mtype, byte };
chan answer[N] = [1] of { mtype };

proctype Client(byte id) {
	byte got, served;
	do
	:: request!ask, id;
	   if
	   :: answer[id]?yes -> got++; assert(got == 1); d_step { got--; served = (served + 1) % D }
	   :: answer[id]?no
	   fi
	od
}

active proctype Server() {
	byte who;
	do
	:: request?ask, who;
	   if
	   :: answer[who]!yes
	   :: answer[who]!no
	   fi
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Client(i); i++
		:: else -> break
		od
	}
}
