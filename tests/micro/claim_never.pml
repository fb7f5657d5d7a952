/* A never claim that watches for a state and then for its opposite, for ever. */
byte x;

active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }

never {
	do
	:: x != 2
	:: x == 2 -> break
	od;
accept:	do
	:: x < 3
	od
}
