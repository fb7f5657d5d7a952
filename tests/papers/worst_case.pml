/* Paper 003, Figure 4 and Table 2, the worst case of the two-phase algorithm: N processes, each of
   which chooses one of two states once, and stays there. No process is deterministic in any state.
   3^N states. */

#ifndef N
#define N 5
#endif

active [N] proctype P()
{
	if
	:: true ->
end1:		false
	:: true ->
end2:		false
	fi
}
