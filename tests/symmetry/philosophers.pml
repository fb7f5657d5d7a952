/* Dining philosophers: a ring, and all of them take the left fork first.
   How often each has eaten is counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif

byte fork[N];

proctype Philosopher(byte id) {
	byte eaten;
	do
	:: atomic { fork[id] == 0 -> fork[id] = 1 };
	   atomic { fork[(id + 1) % N] == 0 -> fork[(id + 1) % N] = 1 };
	   fork[(id + 1) % N] = 0;
	   d_step { fork[id] = 0; eaten = (eaten + 1) % D }
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Philosopher(i); i++
		:: else -> break
		od
	}
}
