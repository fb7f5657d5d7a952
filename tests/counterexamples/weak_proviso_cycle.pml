/* The weak proviso loses the execution in which g stays at 1: P0 is always among those that can wait. */
byte g;

active proctype P0() { do :: g = 1 - g od }

active proctype P1() {
	do
	:: skip
	:: skip -> break
	od
}

ltl p { !(<> [] (g != 0)) }
