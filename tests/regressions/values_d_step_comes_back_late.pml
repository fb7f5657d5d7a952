/* A sequence that comes back to a state after many rounds, when there is code for it: it has no end. */
//: violated
//: says never ends
//: violated --reduce none --engine native
//: violated --reduce none --engine interpret
int c, s;

active proctype P() {
	do
	:: c < 1000 -> c++
	:: c == 1000 -> break
	od;
	d_step {
		do
		:: s < 30000 -> s++
		:: s >= 30000 -> s = 0
		od
	}
}
