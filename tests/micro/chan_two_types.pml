/* Channels of different types and capacities beside one another. */
mtype = { one, two };
chan a = [1] of { bit };
chan b = [2] of { mtype, short };
chan c = [0] of { int, bool, byte };
int big;
short s = -3;

active proctype P() {
	a!1;
	b!one(s);
	b!two(300);
	c!70000,true,7
}

active proctype Q() {
	mtype m; bool f; byte k;
	a?f;
	b?m,s;
	c?big,f,k;
	b?m(s);
	assert(big == 70000 && s == 300 && m == two)
}
