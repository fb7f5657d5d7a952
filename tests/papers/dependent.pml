/* Paper 000, Table II, protocol 3: N completely dependent processes, each traversing M local states,
   without cycles. A process in its last state has no step left; it does not end, since that would
   be a step more. Every step reads and writes the same variable. It always is 0, so that the states are
   those of protocol 1, but only two variables together show that: what has one value only is no object that steps share.
   The first state is the one before the processes exist. */

#ifndef N
#define N 5
#endif
#ifndef M
#define M 10
#endif

byte shared;

proctype P()
{
	byte at, twin;

end:	do
	:: d_step { at < M - 1 && shared == 0 -> at++; twin++; shared = at - twin }
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
