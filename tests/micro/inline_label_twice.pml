/* One inline with a label, used twice in one body. */
byte x;

inline upto(n) {
	x = 0;
again:
	if
	:: x < n -> x++; goto again
	:: x >= n
	fi
}

active proctype P() { upto(1); upto(2) }
