/* Global channel variables change places at run time. */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan t;
byte x;

active proctype P() {
	a!1;
	atomic { t = a; a = b; b = t };
	a!2;
	b?x;
	a?x
}

active proctype Q() { if :: b?x :: x == 1 -> x = 3 fi }
