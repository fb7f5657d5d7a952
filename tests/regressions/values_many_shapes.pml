/* Each process is asked for its steps alone: code was made for shapes with many processes that two states have. */
//: violated --max-time 20s
//: says deadlock
byte n;
chan c = [1] of { byte };

proctype Worker(byte me) {
	byte mine;
	do
	:: n == 7 && me > 3 -> mine++
	:: n == 7 -> c!mine; mine = mine + me; mine--
	:: n == 7 && c?[2] -> c?mine; n = mine; mine = mine % 5
	:: n == 8 -> break
	od
}

init {
	byte i;
	do
	:: i < 180 -> run Worker(i); i++
	:: i == 180 -> break
	od;
	n = 1;
	false
}
