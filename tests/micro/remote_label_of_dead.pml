/* The label of a process that has ended, and of a later one with the same number. */
byte x;

proctype A() { x = 1; here: x = 2 }

init {
	pid p;
	p = run A();
	_nr_pr == 1;
	if :: A[p]@here -> assert(false) :: !A[p]@here fi;
	p = run A();
	if
	:: A[p]@here -> x = 7
	:: _nr_pr == 1 -> x = 9
	fi
}
