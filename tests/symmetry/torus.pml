/* A token goes over a torus of N by N nodes, to the right or down; a node knows the four channels at its sides, and nothing
   else. Between two tokens each takes up to D steps. */
#ifndef N
#define N 2
#endif
#ifndef D
#define D 2
#endif

chan right[N * N] = [1] of { bit };
chan down[N * N] = [1] of { bit };

proctype Node(chan left, up, out, below) {
	byte work;
	do
	:: left?1 -> work = 0; if :: out!1 :: below!1 fi
	:: up?1 -> work = 0; if :: out!1 :: below!1 fi
	:: atomic { work < D -> work++ }
	od
}

init {
	byte x, y;
	atomic {
		do
		:: y < N && x < N ->
		   run Node(right[y * N + (x + N - 1) % N], down[(y + N - 1) % N * N + x], right[y * N + x], down[y * N + x]);
		   x++
		:: y < N && x == N -> x = 0; y++
		:: else -> break
		od;
		right[0]!1
	}
}
