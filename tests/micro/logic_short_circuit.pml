/* The right side of a logical operator is not looked at when the left side decides. */
byte d, x;
byte a[2];

active proctype P() {
	if
	:: d != 0 && 10 / d > 2 -> x = 1
	:: d == 0 || 10 / d > 2 -> x = 2
	fi;
	x = (d < 2 && a[d] == 0);
	x = !x + ! !x
}

active proctype Q() { d = 3 }
