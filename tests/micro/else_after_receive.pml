/* An else beside receives is taken only when none of them can be. */
chan q = [2] of { byte };
byte got;

active proctype Reader() {
	do
	:: q?1 -> got++
	:: q?2 -> got = got + 2; break
	:: else -> if :: got > 1 -> break :: got <= 1 fi
	od
}

active proctype Writer() {
	q!1; q!3; q!2
}
