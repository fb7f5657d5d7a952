/* An atomic whose last statement is a loop ends where the loop breaks. */
byte x, n;

active [2] proctype P() {
	atomic {
		n = 0;
		do
		:: n < 2 -> n++; x++
		:: n == 2 -> break
		od
	};
	x--;
	x--
}
