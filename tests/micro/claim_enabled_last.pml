/* A claim that looks at who moved last and who could move. */
byte x;

active [2] proctype P() { do :: x < 2 -> x++ :: x > 0 -> x-- od }

never {
	do
	:: _last != 1
	:: _last == 1 && enabled(0) -> break
	od;
accept:	do
	:: _last != 0
	od
}
