/* Jumps to a label on a do from inside of the loop, and to one on an if. */
byte x;

active [2] proctype P() {
head:	do
	:: x < 2 -> x++; if :: x == 1 -> goto head :: x == 2 -> goto choose fi
	:: x == 2 -> break
	od;
choose:	if
	:: d_step { x > 0 -> x-- }; goto choose
	:: x == 0 -> skip
	fi
}
