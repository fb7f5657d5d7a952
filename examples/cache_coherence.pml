/*
 * cache_coherence.pml - three caches that keep each other honest (MSI).
 *
 * Each cache holds one line, which is Modified (the only copy, newer than
 * memory), Shared (a copy for reading) or Invalid. To read or to write, a
 * cache asks for the bus; the owner of the bus is alone on it while the
 * others react. A cache that is Modified writes its value back to memory
 * before another one may read or write.
 *
 * What to expect: no errors. In every reachable state at most one cache is
 * Modified, and then no other is Shared; every Shared copy equals memory;
 * and a processor that reads gets what was written last, whoever wrote it.
 *
 * Things to try: leave out the marked write-back, or forget to invalidate
 * the Shared copies, and look at the trail.
 */

#define CACHES	3
#define VALUES	3	/* what can be written: 0 .. VALUES - 1 */
#define NONE	CACHES

mtype = { invalid, shared, modified };

mtype state[CACHES] = invalid;
byte line[CACHES];	/* the value in each cache */
byte memory;
byte latest;		/* to check: the value written last */
byte bus = NONE;	/* who owns the bus */

/* the owner of the bus, who is me, makes the others give way */
inline snoop(for_writing) {
	for (k : 0 .. CACHES - 1) {
		if
		:: k != me && state[k] == modified ->
			memory = line[k];			/* write back */
			state[k] = (for_writing -> invalid : shared)
		:: k != me && state[k] == shared && for_writing ->
			state[k] = invalid
		:: else
		fi;
		line[k] = (state[k] == invalid -> 0 : line[k])	/* forget */
	}
	k = 0
}

inline check() {
	d_step {
		for (k : 0 .. CACHES - 1) { assert(k == me || state[k] == invalid) }
		k = 0
	}
}

proctype Cache(byte me) {
	byte k, v;

	do
	:: /* read */
		if
		:: state[me] != invalid			/* hit */
		:: atomic { state[me] == invalid && bus == NONE -> bus = me };
			snoop(false);
			line[me] = memory;
			state[me] = shared;
			bus = NONE
		fi;
		atomic {
			if
			:: state[me] != invalid ->
				assert(line[me] == latest);
				assert(state[me] == modified || line[me] == memory)
			:: else				/* lost it again */
			fi
		}

	:: /* write */
		atomic { bus == NONE -> bus = me };
		if
		:: state[me] == modified
		:: else -> snoop(true); state[me] = modified
		fi;
		atomic {
			select(v : 0 .. VALUES - 1);
			line[me] = v; latest = v; v = 0
		};
		check();
		bus = NONE
	od
}

init { atomic { run Cache(0); run Cache(1); run Cache(2) } }
