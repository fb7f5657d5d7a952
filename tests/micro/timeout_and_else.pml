/* A timeout beside an else, and one inside an expression. */
byte x;

active proctype P() {
	if
	:: x == 1 -> x = 2
	:: timeout -> x = 3
	fi;
	do
	:: (timeout && x > 2) -> x = 0
	:: (x == 0 || timeout) -> break
	od
}

active proctype Q() { x = 4 }
