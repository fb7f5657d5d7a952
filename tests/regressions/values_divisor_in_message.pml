/* The same in a message. */
//: everywhere violated
chan c = [1] of { short };
active proctype Count() {
	int by = -50;
	do
	:: by < 50 -> by++
	:: c!100 / by
	:: c?_
	od
}

active proctype Other() {
	bit turn;
	do
	:: turn = 1 - turn
	od
}
