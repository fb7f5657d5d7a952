/* enabled tells whether a process can make a step. */
byte x, y;

active proctype P() { x == 1; x = 2; x == 1 }

active proctype Q() {
	if
	:: enabled(0) -> y = 1
	:: !enabled(0) -> x = 1
	fi;
	enabled(0);
	!enabled(0) -> y = 2
}
