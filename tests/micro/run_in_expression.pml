/* run as a statement, in brackets, as a guard and on the right of an assignment. */
byte x;

proctype C(byte v) { x = x + v }

init {
	run C(1);
	(run C(2));
	if
	:: run C(3) -> x++
	:: x = run C(4) -> x--
	:: x = 20
	fi
}
