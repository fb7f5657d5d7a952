/* A local rendezvous channel is handed to a child as a parameter. */
byte got;

proctype Child(chan back) { back!7 }

init {
	chan c = [0] of { byte };
	run Child(c);
	c?got;
	run Child(c);
	c?got;
	got = 0
}
