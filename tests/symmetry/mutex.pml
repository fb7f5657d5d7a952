/* N processes stand in line for a lock. Who leaves it goes to the end of the line, and so may who waits: names of
   processes are in a queue. How often each was inside is
   counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif

chan line = [N] of { byte };
byte inside;

proctype Process(byte id) {
	byte work, visits;
	do
	:: atomic { line?[eval(id)] -> inside++ };
	   assert(inside == 1);
	   do
	   :: work < 12 -> work++
	   :: else -> break
	   od;
	   d_step { line?eval(id); line!id; inside--; work = 0; visits = (visits + 1) % D }
	:: d_step { line??eval(id); line!id }
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> line!i; run Process(i); i++
		:: else -> break
		od
	}
}
