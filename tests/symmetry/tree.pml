/* Requests go up a tree with N leaves below each of N nodes below a root, and answers come down: each knows its own channel and that of
   its parent. How often a leaf was answered is counted modulo D. */
#ifndef N
#define N 2
#endif
#ifndef D
#define D 2
#endif

mtype = { ask, answer };
chan root_asked = [0] of { mtype, chan };
chan asked[N] = [0] of { mtype, chan };
chan answered[N + N * N] = [0] of { mtype };

proctype Root() {
	chan from;
	do
	:: root_asked?ask, from; from!answer
	od
}

proctype Inner(chan above, mine, back) {
	chan from;
	do
	:: mine?ask, from; above!ask, back; back?answer; from!answer
	od
}

proctype Leaf(chan above, mine) {
	byte count;
	do
	:: above!ask, mine; mine?answer; count = (count + 1) % D
	od
}

init {
	byte i, j;
	atomic {
		run Root();
		do
		:: i < N && j == 0 -> run Inner(root_asked, asked[i], answered[i]); j++
		:: i < N && j > 0 && j <= N -> run Leaf(asked[i], answered[N + i * N + j - 1]); j++
		:: i < N && j > N -> i++; j = 0
		:: else -> break
		od
	}
}
