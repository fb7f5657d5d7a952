/* A cache-coherence protocol with a directory (after German): N caches share a line, or one has it for itself.
   How often each has had it for itself is counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif
#define NOBODY 255

mtype = { none, shared, exclusive, want_shared, want_exclusive, invalidate, done };

chan wish = [N] of { mtype, byte };
chan order[N] = [1] of { mtype };
mtype state[N] = none;
byte writes[N];
byte sharers;
byte owner = NOBODY;
byte waiting;

proctype Cache(byte id) {
	bool asked;
	do
	:: atomic { state[id] == none && !asked -> wish!want_shared, id; asked = true }
	:: atomic { state[id] != exclusive && !asked -> wish!want_exclusive, id; asked = true }
	:: atomic { order[id]?shared -> assert(owner == NOBODY); state[id] = shared; asked = false }
	:: atomic { order[id]?exclusive -> assert(owner == id && sharers == 0); state[id] = exclusive; asked = false }
	:: atomic { waiting > 0 && state[id] == shared -> state[id] = none; sharers--; waiting-- }
	:: atomic { waiting > 0 && state[id] == exclusive -> state[id] = none; owner = NOBODY; waiting--; writes[id] = (writes[id] + 1) % D }
	od
}

proctype Directory() {
	byte who = NOBODY;
	do
	:: wish?want_shared, who;
	   if
	   :: owner == NOBODY
	   :: atomic { owner != NOBODY -> waiting = 1 }; waiting == 0
	   fi;
	   atomic { sharers++; order[who]!shared }; state[who] == shared
	:: wish?want_exclusive, who;
	   atomic { waiting = sharers + (owner != NOBODY -> 1 : 0) }; waiting == 0;
	   atomic { owner = who; order[who]!exclusive }; state[who] == exclusive
	od
}

init {
	byte i;
	atomic {
		run Directory();
		do
		:: i < N -> run Cache(i); i++
		:: else -> break
		od
	}
}
