/* A long atomic sequence was said never to end. */
//: holds
//: holds --engine interpret
//: undecided -DLAST=2000000000 --engine interpret --max-time 2s
//: undecided -DLAST=2000000000 --max-memory 100M --max-time 2s
#ifndef LAST
#define LAST 1500000
#endif
int x;

init {
	atomic {
		do
		:: x < LAST -> x++
		:: else -> break
		od
	}
}
