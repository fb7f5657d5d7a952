/* A token goes round a ring whose nodes know the channels at both sides, and nothing else.
   Between two tokens each takes up to D steps. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 3
#endif

chan link[N] = [1] of { bit };

proctype Node(chan in, out) {
	byte work;
	do
	:: in?1 -> work = 0; out!1
	:: atomic { work < D -> work++ }
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Node(link[i], link[(i + 1) % N]); i++
		:: else -> break
		od;
		link[0]!1
	}
}
