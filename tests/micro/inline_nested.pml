/* An inline that uses another one, in an option and as a guard. */
byte x;

inline dec() { atomic { x > 0 -> x-- } }
inline twice(n) { if :: n > 0 -> dec(); dec() :: n == 0 fi }

active [2] proctype P() {
	x = x + 2;
	do
	:: dec()
	:: x == 0 -> break
	od;
	twice(x)
}
