/* A promise that does not hold was refused by `check`, and not by `compare`. */
//: refused
//: exit 2 compare --algorithms none,stubborn
/*@ symmetric A */
byte n;
proctype A(byte d) {
end:	do
	:: n < d -> n++
	od
}
init {
	atomic { run A(1); run A(2) };
end:	false
}
