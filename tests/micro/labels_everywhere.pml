/* Labels before choices, loops, atomics, d_steps, blocks, sends and the end. */
chan q = [1] of { byte };
byte x;

active [2] proctype P() {
L1:	if
	:: x < 2 -> x++
	:: x >= 2
	fi;
L2:	do
	:: x > 2 -> break
	:: else -> x++
	od;
L3:	atomic { x--; x-- };
L4:	{ x++; L5: { x++ } };
L6:	d_step { x--; x++ };
L7:	q!x;
L8:	q?x;
L9:
}
