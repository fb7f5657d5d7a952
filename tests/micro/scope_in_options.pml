/* Declarations inside options, inside a loop and inside an atomic. */
byte g;

active [2] proctype P() {
	do
	:: g < 2 -> { byte k = g; k++; g = k }
	:: g >= 2 -> { byte k = 7; g = k; break }
	od;
	atomic { byte m = g; m++; g = m }
}
