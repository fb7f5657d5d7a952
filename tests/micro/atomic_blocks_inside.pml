/* An atomic that blocks in the middle lets the others run, and goes on atomically afterwards. */
byte a, turn;

active proctype Left() {
	atomic { a++; turn == 1; a++; a++; turn = 2 };
	a--
}

active proctype Right() {
	atomic { a = a + 10; turn = 1; turn == 2; a = a + 10; a = a + 10 };
	a = 0
}
