/* A nested atomic blocks at its first statement; the outer one loses control there. */
byte x;
bool go;

active proctype P() {
	atomic { x = 1; x = 2; atomic { go -> x = 3; x = 4 }; x = 5 };
	x = 6
}

active proctype Q() {
	x = x + 10; go = true; x = x + 20
}
