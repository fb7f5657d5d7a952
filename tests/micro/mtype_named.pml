/* Two named sets of mtype constants, in variables, channels and parameters. */
mtype:fruit = { apple, pear, plum };
mtype:tool = { saw, axe };
mtype:fruit f = pear;
mtype:tool t;
chan q = [1] of { mtype:fruit, byte };

proctype P(mtype:tool w) { t = w; q!plum,1 }

init {
	run P(axe);
	q?f,_;
	t = saw;
	assert(f == plum)
}
