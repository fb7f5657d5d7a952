/* A division that the left side of || keeps from happening left the whole without a value: `first` was taken for 0. */
//: everywhere violated
byte at;
bool first;

active proctype Count() {
	do
	:: at < 4 -> at++
	:: at == 4 -> at = 0
	:: first = (at == 0 || 20 / at > 30)
	:: assert(!first)
	od
}
