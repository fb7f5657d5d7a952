/* An atomic that begins with a loop: the loop runs through in one go. */
byte x = 3, sum;

active [2] proctype P() {
	atomic {
		do
		:: x > 0 -> x--; sum++
		:: sum > 2 -> break
		od;
		sum = 0; x = 1
	}
	x = 2
}
