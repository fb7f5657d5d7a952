/* Labels of numbered instances of one proctype, the number being an expression. */
byte x;

active [2] proctype P() {
	x++;
here:	x++;
gone:	skip
}

active proctype Q() {
	byte k = 1;
	if
	:: P[0]@here && P[k]@here -> x = 10
	:: P[k - 1]@gone && !P[1]@gone -> x = 20
	fi
}
