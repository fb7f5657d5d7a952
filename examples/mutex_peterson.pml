/*
 * mutex_peterson.pml - Peterson's algorithm for two processes.
 *
 * Two processes want to use something that only one of them may use at a
 * time. They share nothing but three variables, and no instruction does more
 * than one read or one write. Each says that it wants to enter, lets the
 * other one go first, and waits only while the other one wants to enter and
 * has not been so polite.
 *
 * What to expect: no errors. The assertion in the critical section holds in
 * every reachable state, and there is no state in which both wait for ever.
 *
 * Things to try: exchange the two lines marked (1) and (2). The algorithm
 * looks as good as before, and is wrong.
 */

bool want[2];		/* want[i]: process i is in, or wants to be in */
byte turn;		/* who goes first when both want */
byte inside;		/* how many are in the critical section (to check only) */
byte visits[2];		/* times each one has been in, counted modulo 3 */

#define me	_pid
#define other	(1 - _pid)

active [2] proctype User() {
	do
	:: /* has had enough */
		break

	:: /* wants to come in */
		want[me] = true;			/* (1) */
		turn = other;				/* (2) */

		/* wait: one look at each variable at a time */
		do
		:: !want[other] -> break
		:: turn == me -> break
		od;

		/* critical section */
		inside++;
		assert(inside == 1);
		visits[me] = (visits[me] + 1) % 3;
		inside--;

		want[me] = false
	od
}
