/* A d_step that begins with a print takes any rendezvous in SPIN, with no receive in it. */
chan c = [0] of { byte };
proctype P() { d_step { printf("taken\n") } }
init {
	run P();
	if
	:: c!0
	:: else
	fi
}
