/* Local variables start in the order of the text, whatever their types. */
typedef Pair { int first = 2; byte second = 5; bit flags[2] = 1 };
byte seen;

proctype P(byte p) {
	int wide = p + 2;
	byte small = wide;
	Pair pair;
	bit odd = (small + pair.second) % 2;
	chan c = [2] of { byte };
	unsigned few : 4 = len(c) + pair.first + wide;
	byte list[2] = few + pair.flags[1];
	seen = list[1] + odd;
	if
	:: odd -> seen++
	:: else -> skip; seen--
	fi;
	c!seen;
	assert(small == wide && few == wide + 2 && list[0] == few + 1)
}

init { run P(1); run P(2); byte late = seen; seen = late + 1 }
