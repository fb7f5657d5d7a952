/* Global variables start by type: of the later types only a zero is seen. */
int wide = 7;
byte small = wide + 1;
short middle = small + wide;
unsigned few : 3 = small;
byte seen[2] = small;
typedef Pair { byte first = 2; short second = 3 };
Pair pair;
byte other = 5;

active [2] proctype P() {
	assert(small == 1 && middle == 1 && few == 0);
	do
	:: other < 7 -> other = other + seen[1]
	:: other >= pair.first + wide - 2 -> break
	od
}
