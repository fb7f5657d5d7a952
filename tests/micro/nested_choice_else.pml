/* An else inside a choice that is the guard of an option. */
byte x;

active [2] proctype P() {
	if
	:: if
	   :: x == 1 -> x = 2
	   :: else -> x = 3
	   fi
	:: x == 0 -> x = 1
	fi;
	do
	:: do
	   :: x > 3 -> x--
	   :: else -> break
	   od; x = 9; break
	:: x == 9 -> break
	od
}
