/* An atomic around one statement changes nothing. */
byte x;

active proctype P() {
	atomic { x = 1 };
	atomic { skip };
	atomic { x == 1 };
	x = 2
}

active proctype Q() {
	atomic { x = 3 }; x = 1
}
