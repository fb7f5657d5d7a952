/* Readers and writers: many may read, one may write. Two kinds of processes, each of which can change places. */
#ifndef N
#define N 3
#endif

byte reading;
bool writing;

active [N] proctype Reader() {
	byte seen;
	do
	:: atomic { !writing -> reading++ };
	   assert(!writing);
	   seen = 1 - seen;
	   reading--
	od
}

active [N] proctype Writer() {
	do
	:: atomic { !writing && reading == 0 -> writing = true };
	   assert(reading == 0);
	   writing = false
	od
}
