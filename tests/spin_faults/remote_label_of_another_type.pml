/* A remote label compares location numbers only: a process of another type can be "at" it in SPIN. */
byte x;
proctype A() { x = 1; here: x = 2 }
proctype B() { x = 5; here: x = 6 }
init {
	pid p;
	p = run A();
	_nr_pr == 1;
	p = run B();
	if
	:: A[p]@here -> x = 7
	:: B[p]@here -> x = 8
	:: _nr_pr == 1 -> x = 9
	fi
}
