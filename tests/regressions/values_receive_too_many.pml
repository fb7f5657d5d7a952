/* A receive of more fields than the channel has was at fault while there was nothing to receive; native code let it wait. */
//: everywhere violated
//: violated --no-end-states --reduce none
//: says fault
//: holds -DEMPTY --no-end-states --reduce none
//: holds -DEMPTY --no-end-states --reduce none --engine interpret
chan one = [2] of { byte };
chan two = [2] of { byte, byte };
chan which;
byte a, b, n;

active proctype P() {
	which = one;
	do
	:: n < 100 -> n++
	:: n == 100 -> break
	od;
#ifndef EMPTY
	which!7;
#endif
	if
	:: which?[a, b] -> assert(false)
	:: which?a, b -> assert(false)
	fi
}
