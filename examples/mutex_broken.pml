/*
 * mutex_broken.pml - a lock that does not lock.
 *
 * Three processes share a lock that is a plain variable. Each looks whether
 * the lock is free, and if so takes it. It looks right, and a test will run
 * for days before it goes wrong: between looking and taking there is a
 * moment in which another one may look, too.
 *
 * What to expect: the assertion "inside == 1" is violated. The shortest way
 * there has two processes look at the free lock before either takes it.
 *
 * Things to try: put the two marked statements into one atomic,
 *
 *	atomic { !locked -> locked = true };
 *
 * and the error is gone, as is the error that a process frees a lock which
 * another one holds.
 */

#define USERS	3
#define NOBODY	255

bool locked;
byte holder = NOBODY;	/* who took the lock last */
byte inside;		/* how many are in the critical section */
byte shared;		/* what the lock is meant to protect */

active [USERS] proctype User() {
	byte copy;

	/* take the lock */
	!locked;		/* look ... */
	locked = true;		/* ... and take */
	holder = _pid;

	/* critical section */
	inside++;
	assert(inside == 1);
	copy = shared;
	shared = copy + 1;
	inside--;

	/* give it back */
	assert(holder == _pid);
	holder = NOBODY;
	locked = false
}
