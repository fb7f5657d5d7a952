/*
 * leader_election.pml - choosing a leader on a one-way ring.
 *
 * N nodes stand in a ring; each can speak to its right neighbour only, and
 * has a number of its own. They must agree on one of them. Every node sends
 * its number round. A node passes on numbers greater than its own and
 * swallows the smaller ones, so only the greatest comes back to where it
 * started. That node has won, and sends the news round once more.
 *
 * The numbers are dealt out in any order in the beginning, so that every
 * arrangement is looked at, not only the one that we thought of.
 *
 * What to expect: no errors. There is never a second leader, the leader is
 * the node with the greatest number, and in the end everyone knows it.
 *
 * Things to try: swallow the greater numbers and pass on the smaller ones,
 * or let a node swallow its own number, and see which check objects.
 */

#define N	4	/* the dealing out below is written for four */

mtype = { candidate, elected };

chan link[N] = [N] of { mtype, byte };	/* link[i] leads to node i */

byte number[N];		/* 0: not dealt out yet */
byte leader_of[N];	/* whom node i takes for the leader */
byte leaders;		/* how many think that they have won */

proctype Node(byte me) {
	byte n;

	link[(me + 1) % N]!candidate(number[me]);

	do
	:: link[me]?candidate(n) ->
		if
		:: n > number[me] -> link[(me + 1) % N]!candidate(n)
		:: n < number[me]
		:: n == number[me] ->
			leaders++;
			assert(leaders == 1 && n == N);
			link[(me + 1) % N]!elected(n)
		fi
	:: link[me]?elected(n) ->
		leader_of[me] = n;
		if
		:: n != number[me] -> link[(me + 1) % N]!elected(n)
		:: n == number[me]	/* the news has been everywhere */
		fi;
		break
	od
}

init {
	byte i, k;

	atomic {
		/* deal out 1 .. N, each to a place that has none */
		for (k : 1 .. N) {
			if
			:: number[0] == 0 -> number[0] = k
			:: number[1] == 0 -> number[1] = k
			:: number[2] == 0 -> number[2] = k
			:: number[3] == 0 -> number[3] = k
			fi
		}
		for (i : 0 .. N - 1) { run Node(i) }
		i = 0; k = 0
	};

	_nr_pr == 1;
	for (i : 0 .. N - 1) { assert(leader_of[i] == N) }
}
