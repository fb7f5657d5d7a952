/* The value of run is the number of the new process. */
byte who[3];
pid p;

proctype C() { who[_pid] = 1; who[_pid] = 2 }

init {
	p = run C();
	who[0] = p;
	p = run C();
	who[0] = who[0] * 4 + p
}
