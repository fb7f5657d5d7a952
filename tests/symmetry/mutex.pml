/* N processes and a lock that is given to one of those who wait: names of processes are in an array and in the lock. */
#ifndef N
#define N 3
#endif
#define NOBODY 255

bool waits[N];
byte holder = NOBODY;
byte inside;

active [N] proctype Process() {
	byte work;
	do
	:: atomic { work < 2 -> work++ }
	:: atomic { work == 2 -> waits[_pid] = true };
	   atomic { holder == NOBODY -> holder = _pid };
	   inside++;
	   assert(inside == 1 && holder == _pid);
	   inside--;
	   d_step { holder = NOBODY; waits[_pid] = false; work = 0 }
	od
}
