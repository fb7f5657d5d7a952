/* Native code asked for the channel of a receive before it looked whether the message that is offered is counted. */
//: everywhere violated
//: violated --reduce none --threads 2
//: states 406 --engine native
//: states 406 --engine interpret
chan c[2] = [0] of { byte };
byte z;

active proctype P() {
	do
	:: z < 200 -> z++
	:: else -> break
	od;
end:	c[0]!1
}

active proctype Q() {
	byte y;
end:	c[1 - len(c[0])]?y;
	assert(0)
}
