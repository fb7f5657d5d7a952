/* An atomic whose first statement is not executable has not begun: the others see no middle. */
byte tokens = 2, used;

active [3] proctype P() {
	atomic { tokens > 0 -> tokens--; used++ };
	atomic { used > 0; used--; tokens++ }
}
