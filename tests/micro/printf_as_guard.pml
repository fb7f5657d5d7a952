/* printf, assignments and sends as guards of options. */
chan q = [1] of { byte };
byte x;

active [2] proctype P() {
	if
	:: printf("guard\n") -> x = 1
	:: x = 2
	:: q!5 -> q?x
	fi
}
