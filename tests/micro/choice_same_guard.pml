/* Equal options are tried twice: two transitions to one state. */
byte x;

active [2] proctype P() {
	if
	:: x < 2 -> x = 1
	:: x < 2 -> x = 1
	:: x >= 1 -> x = 2
	fi;
	do
	:: x = 0; break
	:: x = 0; break
	od
}
