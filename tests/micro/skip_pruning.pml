/* Which skips are steps: guards, bodies, and the ones at the end. */
byte x;

active [2] proctype P() {
	skip;
	if
	:: skip; skip -> x++
	:: x == 1 -> skip
	:: true; skip
	:: skip
	fi;
	do
	:: x == 0 -> skip; skip
	:: skip -> break
	od;
	(1);
	skip
}
