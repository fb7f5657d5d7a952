/* A receive in angle brackets copies the message and leaves it where it is. */
chan q = [2] of { byte, byte };
byte a, b;

active proctype P() {
	q!1,2; q!3,4;
	q?<a,b>;
	q?? <3,b>;
	q?a,b;
	q?<a,_>;
	a = 0
}

active proctype Q() { byte v; q?<v,2>; q?<eval(v),v>; a = v }
