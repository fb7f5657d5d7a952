/* Paper 003, Figure 3 and Table 1, the best case of the two-phase algorithm: N processes, each of
   which goes round three control points for ever. 3^N states. */

#ifndef N
#define N 4
#endif

active [N] proctype P()
{
	byte at;

	do
	:: at = 1; at = 2; at = 0
	od
}
