/* Options that create processes of different types, and states that differ in nothing else. */
byte x;

proctype A(byte k) { x = x + k }
proctype B(byte k) { x = x + k }

init {
	if
	:: run A(1)
	:: run B(1)
	:: run A(2); run B(1)
	fi;
	x > 0
}
