/* Blocks beside one another declare variables of the same name and different type. */
byte g;

active [2] proctype P() {
	{ byte t = 1; g = g + t; t = 200 };
	{ int t; t = t + 5; g = g + t };
	if
	:: g > 6 -> { byte u = 3; g = u }
	:: g <= 6 -> { short u = -1; g = g + u }
	fi
}
