/* An unless in the middle of the main sequence of another one. */
byte x;
bool a, b;

active proctype P() {
	{
		x = 1;
		{ x = 2; x = 3 } unless { a -> x = 10; x = 11 };
		x = 4
	} unless { b -> x = 20 };
	x = 0
}

active proctype Q() { a = 1; b = 1 }
