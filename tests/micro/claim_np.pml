/* A claim about cycles without progress. */
byte x;

active proctype P() {
	do
	:: x < 2 -> x++
	:: x == 2 -> progress: x = 0
	:: x == 1 -> x = 0
	od
}

never {
	do
	:: true
	:: np_ -> break
	od;
accept:	do
	:: np_
	od
}
