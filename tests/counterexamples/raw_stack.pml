/* Three processes that are alike. A search that matches representatives, but looks for raw states on its stack, takes a
   process at a time round its loop and comes back to a state that it has seen under other names: the last of the three
   never counts. */
byte g;

active [3] proctype P() {
	atomic { g++; assert(g < 3) };
	do
	:: skip; skip
	od
}
