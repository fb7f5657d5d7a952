/* Leader election in a complete network: a candidate collects the votes of all others, leads, and steps down.
   How often each has led is counted modulo D. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif
#define NOBODY 255

chan ballot[N] = [N] of { byte };
byte leader = NOBODY;
byte candidate = NOBODY;
byte fresh = N;

proctype Node(byte id) {
	byte votes, led;
	byte voter = NOBODY;
	bool voted;
	do
	:: atomic { candidate == NOBODY && fresh == N -> candidate = id }
	:: atomic { candidate != NOBODY && candidate != id && !voted -> voted = true; fresh--; ballot[candidate]!id }
	:: ballot[id]?voter ->
	   assert(voter != id && leader == NOBODY);
	   votes++;
	   if
	   :: atomic { votes == N - 1 -> leader = id }
	   :: votes < N - 1
	   fi
	:: atomic { leader == id -> leader = NOBODY; candidate = NOBODY; votes = 0; voter = NOBODY; led = (led + 1) % D }
	:: atomic { candidate == NOBODY && voted -> voted = false; fresh++ }
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Node(i); i++
		:: else -> break
		od
	}
}
