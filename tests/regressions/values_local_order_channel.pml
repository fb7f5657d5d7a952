/* The length of a channel was asked for before the channel was created. */
//: everywhere holds
//: states 5
proctype P() {
	chan c = [2] of { byte };
	byte room = 2 - len(c);
	assert(room == 2 && nfull(c) && empty(c))
}

init { run P() }
