/* Atomics inside atomics are one atomic, also where the inner one ends. */
byte x;

active [2] proctype P() {
	atomic {
		x++;
		atomic { x++; atomic { x++ }; x++ };
		x = x - 3;
		atomic { x++ }
	};
	x--
}
