/* Processes created inside an atomic start only when it ends or blocks. */
byte x;

proctype C(byte i) { x = x + i; x == 6; x = 0 }

init {
	atomic { run C(1); run C(2); x > 0; run C(3) };
	x = x + 0
}
