/* A process that creates its successor, as often as a counter allows. */
byte depth;

proctype Nest(byte d) {
	if
	:: d > 0 -> run Nest(d - 1); depth++
	:: d == 0 -> depth = depth + 10
	fi;
	depth++
}

init { run Nest(2) }
