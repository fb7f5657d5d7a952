/* An else that stands first of all options and one with nothing behind it. */
byte x;

active [2] proctype P() {
	if :: else fi;
	if :: x > 0 -> x = 3 :: else fi;
	x++;
	if :: else -> x++ :: x > 2 -> x = 0 fi
}
