/* A local array of channels and channel variables that are assigned and compared. */
byte x;

active proctype P() {
	chan c[2] = [1] of { byte };
	chan d, e;
	d = c[0];
	e = c[1];
	d!4;
	if :: d == c[0] -> x = 1 :: d != c[0] -> x = 2 fi;
	c[0]?x;
	e = d;
	e!6;
	if :: nempty(d) -> x = len(c[0]) :: empty(d) fi
}

active proctype Q() { x = 9 }
