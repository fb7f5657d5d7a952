/* Dining philosophers: a ring, and all of them take the left fork first. */
#ifndef N
#define N 3
#endif

byte fork[N];

proctype Philosopher(byte id) {
	do
	:: atomic { fork[id] == 0 -> fork[id] = 1 };
	   atomic { fork[(id + 1) % N] == 0 -> fork[(id + 1) % N] = 1 };
	   fork[(id + 1) % N] = 0;
	   fork[id] = 0
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
