/* An else may stand anywhere among the options. */
byte x;

active [2] proctype P() {
	do
	:: else -> x = 2
	:: x == 0 -> x = 1
	:: x == 2 -> break
	od;
	if
	:: x == 5 -> x = 6
	:: else -> x = 5
	:: x == 6 -> x = 7
	fi
}
