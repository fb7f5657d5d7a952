/* The number of processes that exist. */
byte seen;

proctype C() { seen = _nr_pr }

init {
	seen = _nr_pr;
	run C(); run C();
	_nr_pr == 1 -> seen = 9
}
