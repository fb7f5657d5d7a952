/* Paper 000, Table II, protocol 1: N processes that share nothing, each traversing M local states,
   without cycles. A process in its last state has no step left; it does not end, since that would
   be a step more. The first state is the one before the processes exist. */

#ifndef N
#define N 5
#endif
#ifndef M
#define M 10
#endif

proctype P()
{
	byte at;

end:	do
	:: d_step { at < M - 1 -> at++ }
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
