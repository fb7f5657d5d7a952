/* The same, told by a message: the number of a channel was lost on the way. */
//: everywhere holds
typedef Pair { byte tag = 3; chan way = [1] of { byte } };
chan other = [1] of { byte };
chan register = [1] of { chan };
byte n;

proctype P() {
	Pair own;
	register!own.way;
	own.way!own.tag;
	own.way = other;
	n == 0
}

active proctype Start() {
	chan way;
	byte got;
	do
	:: n < 150 -> n++
	:: else -> break
	od;
	run P();
	register?way;
	way?got;
	assert(got == 3 && way != other && way != 0);
	n = 0
}
