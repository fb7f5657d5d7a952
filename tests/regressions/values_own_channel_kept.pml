/* Native code began a process whose own channel is given to a variable later without that channel. */
//: everywhere violated
chan other = [1] of { byte };

proctype P() {
	chan own[2] = [1] of { byte };
	bit same = (own[1] == 0);
	assert(same || own[0] == own[1]);
	own[1] = other
}

active proctype Start() {
	byte n;
	do
	:: n < 220 -> n++
	:: else -> break
	od;
	run P()
}

active proctype Busy() {
	byte n;
	end: do
	:: n < 220 -> n++
	od
}
