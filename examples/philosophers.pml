/*
 * philosophers.pml - the dining philosophers.
 *
 * N philosophers sit round a table. Between any two of them lies one fork.
 * A philosopher who is hungry takes the fork on the left, then the one on
 * the right, eats, and puts both back.
 *
 * What to expect: one deadlock (an invalid end state). Everyone has taken
 * the fork on the left and waits for the one on the right. The number of
 * states grows about fourfold with each philosopher more.
 *
 * Things to try: give -DPOLITE to the preprocessor, or remove the comment
 * signs from the next line. The last philosopher then takes the fork on the
 * right first, and the deadlock is gone.
 */

/* #define POLITE */

#ifndef N
#define N	5
#endif

#define left	_pid
#define right	((_pid + 1) % N)

bool taken[N];		/* taken[i]: somebody holds fork i */
byte eating;		/* how many eat at the moment */

inline pick_up(fork) {
	atomic { !taken[fork] -> taken[fork] = true }
}

inline put_down(fork) {
	taken[fork] = false
}

active [N] proctype Philosopher() {
	do
	:: /* think, then: */
#ifdef POLITE
		if
		:: _pid == N - 1 -> pick_up(right); pick_up(left)
		:: else -> pick_up(left); pick_up(right)
		fi;
#else
		pick_up(left);
		pick_up(right);
#endif
		eating++;
		assert(eating <= N / 2);	/* no two neighbours at once */
		eating--;
		put_down(right);
		put_down(left)
	od
}
