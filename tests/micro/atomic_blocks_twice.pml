/* Two processes block at several places inside their atomics and wake one another. */
byte stage, log;

active [2] proctype Worker() {
	atomic {
		stage == 0 || stage == 2 -> stage++; log = log * 2 + _pid;
		stage == 2 || stage == 4 -> stage++; log = log * 2 + _pid;
	}
	stage > 2
}

active proctype Clock() {
	do
	:: atomic { stage % 2 == 1 -> stage++; log++ }
	:: stage >= 6 -> break
	od
}
