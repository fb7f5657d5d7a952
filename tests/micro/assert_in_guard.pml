/* Assertions as guards of options are always executable. */
byte x;

active [2] proctype P() {
	do
	:: assert(x < 3) -> x++; if :: x > 1 -> break :: else fi
	:: x > 0 -> break
	od
}
