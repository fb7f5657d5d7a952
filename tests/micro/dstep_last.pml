/* A d_step as the last statement of a body, of an option and of a loop. */
byte x;

active [2] proctype P() {
	if
	:: x == 0 -> d_step { x++; x++ }
	:: x > 0 -> d_step { x--; x-- }
	fi;
	do
	:: x < 4 -> d_step { x++; x++ }
	:: x >= 4 -> break
	od;
	x++;
	d_step { x = 1; x = 2 }
}
