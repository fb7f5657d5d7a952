/* Readers and writers: many may read, one may write. Two kinds of processes, each of which can change places.
   What a reader has seen is counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 2
#endif

byte reading;
bool writing;

active [N] proctype Reader() {
	byte seen;
	do
	:: atomic { !writing -> reading++ };
	   assert(!writing);
	   seen = (seen + 1) % D;
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
