/* A sender repeats its message when it is lost. */
chan c = [1] of { byte };
byte got, tries;

active proctype Sender() {
	do
	:: c!1 -> got == 1 -> break
	:: timeout -> tries++; if :: tries == 3 -> break :: tries < 3 fi
	od unless { timeout -> tries++; goto over };
	got = 2;
over:	skip
}

active proctype Receiver() {
	if
	:: c?got
	:: c?_
	fi
}
