/* An array of channels, indexed by variables. */
chan q[3] = [2] of { byte };
byte i, sum;

active proctype Writer() {
	byte k;
	do
	:: k < 3 -> q[k]!k; q[(k + 1) % 3]!k + 10; k++
	:: k == 3 -> break
	od
}

active proctype Reader() {
	byte v;
	do
	:: len(q[i]) == 2 -> q[i]?v; sum = sum + v; i = (i + 1) % 3; if :: i == 0 -> break :: i > 0 fi
	od
}
