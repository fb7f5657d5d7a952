/* A sorted send puts the message before the first one that is greater. */
chan q = [5] of { byte, byte };
byte a, b;

active proctype P() { q!!3,1; q!!1,2; q!!3,0 }
active proctype Q() { q!!2,2; q!!1,1 }

active proctype R() {
	byte n;
	len(q) == 5;
	do
	:: n < 5 -> q?a,b; n++
	:: n == 5 -> break
	od
}
