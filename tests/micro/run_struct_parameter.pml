/* A record is passed to a process, field by field. */
typedef Job { byte kind; short size };
byte done;

proctype Work(Job j; byte k) {
	j.size = j.size + k;
	done = done + j.size
}

init {
	Job a;
	a.kind = 1; a.size = 4;
	run Work(a, 2);
	a.size = 6;
	run Work(a, 1)
}
