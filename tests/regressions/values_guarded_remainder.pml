/* The same in the argument of a run: the parameter was taken for 0. */
//: everywhere violated
byte found;

proctype Watch(bool whole) {
	if
	:: whole -> found = 1
	:: else -> found = 2
	fi
}

init {
	byte by;
	do
	:: by < 4 -> run Watch(by == 0 || 10 % by > 7); by++
	:: else -> break
	od;
	(_nr_pr == 1);
	assert(found != 1)
}
