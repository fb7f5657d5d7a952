/* An atomic whose last statement is a plain block with a choice in it. */
byte x;

active [2] proctype P() {
	atomic { x++; { x++; { if :: x > 2 -> x = 0 :: x <= 2 -> x++ fi } } };
	x = x + 3
}
