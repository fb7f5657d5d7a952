/* What comes after a fault would be accepting. */
//: undecided --property acceptance
//: undecided --property acceptance --search ndfs
//: violated
byte some[2], place;
active proctype Walker() {
	place = 2;
	some[place] = 1;
accept:	do
	:: some[0] = 1 - some[0]
	od
}
