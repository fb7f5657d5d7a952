/* A long d_step was said never to end; it ends, and knows of the limit on time. */
//: holds
//: holds --search bfs
//: violated -DWRONG -DLAST=3000000
//: undecided -DLAST=2147483647 --engine interpret --max-time 2s
#ifndef LAST
#define LAST 60000000
#endif

int x;

active proctype P() {
	byte odd;
	d_step {
		do
		:: x < LAST && odd < 2 -> x++; odd = x & 1
		:: else -> break
		od
	}
#ifdef WRONG
	assert(x != 3000000)
#endif
}
