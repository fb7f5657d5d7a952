/* Processes are created in a loop and end; their numbers are used again. */
byte n, who;

proctype Child(byte k) { who = _pid; n-- }

init {
	byte i;
	do
	:: i < 3 -> atomic { n < 2 -> n++; run Child(i); i++ }
	:: i == 3 -> break
	od;
	n == 0
}
