/* Atomics as the first statement of options: their guards decide. */
byte x = 1;

active [2] proctype P() {
	do
	:: atomic { x == 1 -> x = 2; x = 3 }
	:: atomic { x == 3 -> x = 0 }; x = 4
	:: x == 4 -> break
	:: atomic { x > 4; x = 1 } -> x = 2; break
	od
}
