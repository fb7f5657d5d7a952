/*
 * producer_consumer.pml - a bounded buffer made with semaphores.
 *
 * Two producers put items into a ring of SIZE places, and two consumers
 * take them out. One semaphore counts the free places, one counts the
 * items, and a third keeps the hands of all but one off the ring.
 *
 * What to expect: no errors. The ring is never overrun, every item is taken
 * exactly once, and all of them come to an end: consumers leave when all
 * the items have been taken.
 *
 * Things to try: in the consumer, take the mutex before waiting for an
 * item, and see how the system comes to a standstill.
 */

#define SIZE	2	/* places in the ring */
#define ITEMS	2	/* items each producer makes */
#define TOTAL	(2 * ITEMS)

byte ring[SIZE];
byte head, tail;
byte free_places = SIZE, items, mutex = 1;	/* the semaphores */
byte promised;			/* items that consumers have put their names on */
bool taken[TOTAL];		/* to check: which items have been taken */

inline wait(sem) { atomic { sem > 0 -> sem-- } }
inline signal(sem) { sem++ }

proctype Producer(byte first) {
	byte k;

	for (k : first .. first + ITEMS - 1) {
		wait(free_places);
		wait(mutex);
		d_step { ring[tail] = k + 1; tail = (tail + 1) % SIZE };
		signal(mutex);
		signal(items)
	}
}

proctype Consumer() {
	byte k;

	do
	:: atomic { promised < TOTAL -> promised++ };
		wait(items);
		wait(mutex);
		d_step { k = ring[head]; ring[head] = 0; head = (head + 1) % SIZE };
		assert(k > 0 && !taken[k - 1]);
		taken[k - 1] = true;
		signal(mutex);
		signal(free_places);
		k = 0
	:: promised == TOTAL -> break
	od
}

init {
	atomic {
		run Producer(0); run Producer(ITEMS);
		run Consumer(); run Consumer()
	};
	_nr_pr == 1;		/* all the others are gone */
	byte i;
	for (i : 0 .. TOTAL - 1) { assert(taken[i]) }
	assert(items == 0 && free_places == SIZE)
}
