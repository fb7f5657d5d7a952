/* Sorted and plain sends to one channel. */
chan q = [4] of { mtype, byte };
mtype = { low, mid, high };
byte last;

active proctype P() { q!mid(2); q!!low(3); q!!high(1) }

active proctype Q() {
	q!!mid(1);
	len(q) == 4;
	q?_,last; q?_,last; q?_,last; q?_,last
}
