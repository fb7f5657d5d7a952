/* An unless around an unless: the outer escape is tried before the inner one. */
byte x;
bool a, b;

active proctype P() {
	{ { x = 1; x = 2; x = 3 } unless { a -> x = 10; x = 11 } } unless { b -> x = 20; x = 21; b = 0 };
	x = 0
}

active proctype Q() { if :: a = 1 :: b = 1 :: a = 1; b = 1 fi }
