/* The predefined variable that holds the number of the process that moved last. */
byte x;

active [2] proctype P() {
	byte k;
	do
	:: k < 2 -> _last != _pid || k == 0 -> k++
	:: k == 2 -> break
	od
}

active proctype W() { if :: _last == 1 -> x = 1 :: _last == 0 -> x = 2 fi }
