/* The same in a message: packing the value ended in a panic. */
//: everywhere violated
chan c = [1] of { byte };
byte i, got = 9;

active proctype Sender() {
	do
	:: i < 4 -> c!(i != 0 && 12 / i < 20 -> 3 : (i == 0 || 7 % i > 9)); i++
	:: else -> break
	od
}

active proctype Receiver() {
	do
	:: c?got -> assert(got != 1)
	od
}
