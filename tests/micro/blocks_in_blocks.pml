/* Plain blocks in blocks, at the beginning, in the middle and at the end. */
byte x;

active [2] proctype P() {
	{ { x++; { x++ } } ; x-- };
	{ if :: { x > 0 -> { x-- } } :: { { x == 0 } } fi };
	{ { { x++ } } }
}
