/*
 * hello.pml - a first model.
 *
 * Two processes greet the world, each in two words. The model checker does
 * not run the model once, it tries every order in which the words can come.
 *
 * What to expect: no errors, and some forty states. Count the orders by
 * hand if you like: two words of one speaker and two of the other can be
 * mixed in six ways, and yet the assertion at the end holds for all of them.
 *
 * Things to try:
 *   - set SPEAKERS to 3 or 4 and see how fast the number of states grows;
 *   - replace the first "words++" by "byte w = words; words = w + 1" and
 *     find out why the assertion does not hold any more.
 */

#define SPEAKERS 2

byte words;	/* how many words have been said so far */
byte done;	/* how many speakers have finished */

active [SPEAKERS] proctype Speaker() {
	printf("speaker %d: hello\n", _pid);
	words++;
	printf("speaker %d: world\n", _pid);
	words++;
	done++
}

active proctype Listener() {
	done == SPEAKERS;	/* waits until this is true */
	assert(words == 2 * SPEAKERS)
}
