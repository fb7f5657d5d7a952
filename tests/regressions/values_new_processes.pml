/* New processes began with values that were computed of finished ones, in another order than theirs. */
//: states 14739
//: states 14739 --engine interpret
//: states 14739 --search bfs
//: states 14739 --search bfs --engine native
byte sum;

proctype Add(byte by) {
	int five = 5;
	byte six = five + 1;
	short both = five + six;
	sum = (sum + six + both) % 16;
	assert(six == 6 && both == 11);
	five = 6;
	sum = (sum + six + by) % 16;
	six = 0
}

active proctype Start() {
	byte n;
	do
	:: n < 120 -> n++; run Add(n & 1); (_nr_pr <= 2)
	:: n == 120 -> break
	od
}
