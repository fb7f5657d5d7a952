/*
 * alternating_bit.pml - the alternating bit protocol.
 *
 * A sender has a stream of numbers to deliver over a line that loses
 * messages. It puts a bit beside each number and repeats the message until
 * an acknowledgement with the same bit comes back; the line for the
 * acknowledgements loses messages, too. The receiver acknowledges all it
 * gets, and takes a message as new only if its bit differs from the last.
 *
 * What to expect: no errors. Whatever is lost, and however often, the
 * receiver takes every number exactly once and in order: the assertion in
 * the receiver says so, and there is no deadlock.
 *
 * Things to try: let the receiver take a message whatever its bit is, and
 * look at the way that leads to the first number taken twice.
 */

#define MAX	4	/* numbers run from 0 to MAX - 1 and start again */
#define SLOTS	2	/* messages that are on a line at the same time */

mtype = { data, ack };

chan there = [SLOTS] of { mtype, byte, bit };
chan back  = [SLOTS] of { mtype, bit };

active proctype Sender() {
	byte number;
	bit b, got;

	do
	:: there!data(number, b)	/* send it, or send it again */
	:: back?ack(got) ->
		if
		:: got == b ->		/* arrived: on to the next one */
			atomic { number = (number + 1) % MAX; b = 1 - b }
		:: else			/* an old one */
		fi
	od
}

active proctype Receiver() {
	byte number, expected;
	bit got, last = 1;

	do
	:: there?data(number, got) ->
		if
		:: got != last ->	/* new */
			assert(number == expected);
			atomic { expected = (expected + 1) % MAX; last = got }
		:: else			/* had it already */
		fi;
		number = 0;
		back!ack(last)
	od
}

/* The line: it eats a message now and then, in either direction. */
active proctype Loss() {
	do
	:: there?_,_,_
	:: back?_,_
	od
}
