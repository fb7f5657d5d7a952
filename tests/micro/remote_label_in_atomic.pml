/* A label inside an atomic can be seen only where the atomic blocks. */
byte x;

active proctype P() {
	atomic { x = 1; inside: x = 2; wait: x == 3; x = 4 };
	x = 5
}

active proctype Q() {
	if
	:: P@inside -> assert(false)
	:: P@wait -> x = 3
	fi
}
