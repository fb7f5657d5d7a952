/* Line ends in odd places, arrows for semicolons, and semicolons too many. */
byte x
byte y; ;

active
proctype
P()
{
	x = 1 ->
	y = 2;;
	if
	:: x ==
	1
	-> y =
	3;
	:: else ->
	skip
	fi;;;
	do :: x == 1; x = 2; :: x == 2 -> break; od ->
	x = 3;
};

active proctype Q() { y = x -> x == 3; }
