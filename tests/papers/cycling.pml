/* Paper 000, Table II, protocol 2: N processes that share nothing, each cycling through M local
   states. The first state is the one before the processes exist. */

#ifndef N
#define N 5
#endif
#ifndef M
#define M 10
#endif

proctype P()
{
	byte at;

	do
	:: at = (at + 1) % M
	od
}

init
{
	byte n;

	atomic {
		do
		:: n < N -> run P(); n++
		:: else -> n = 0; break
		od
	}
}
