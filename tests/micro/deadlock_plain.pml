/* Two processes that take two locks in opposite order. */
bool a, b;

active proctype P() {
	atomic { !a -> a = true };
	atomic { !b -> b = true };
	b = false; a = false
}

active proctype Q() {
	atomic { !b -> b = true };
	atomic { !a -> a = true };
	a = false; b = false
}
