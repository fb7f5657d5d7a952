/* An inline that gives back a value. */
byte x, y;

inline succ(n) { x++; return n + 1 }

active [2] proctype P() {
	y = succ(x);
	atomic { x = succ(y) }
}
