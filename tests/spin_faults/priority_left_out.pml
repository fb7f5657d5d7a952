/* SPIN takes part of the priority of a process for padding: states that differ in it are one. */
byte x;
active [2] proctype P() {
	do
	:: x < 2 -> x++; set_priority(_pid, x + 1)
	:: else -> break
	od
}
