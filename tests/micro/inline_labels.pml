/* Labels inside an inline that is used several times. */
byte x;

inline count(n) {
	if
	:: x < n -> x++
	:: x >= n -> goto enough
	fi;
	x = 0;
enough:	skip
}

active proctype P() { count(1) }
active proctype Q() { count(2) }
