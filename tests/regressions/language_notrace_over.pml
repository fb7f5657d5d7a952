// A notrace that has no end was never over: as in SPIN, the first event that does not match is the end of it.
//: everywhere holds --no-end-states
//: violated --progress --no-end-states -D L=progress
//: violated --progress --no-end-states -D L=progress --search ndfs
//: everywhere violated -D L=accept -D ALSO=1
//: states 3
#ifndef L
#define L accept
#endif
#ifndef ALSO
#define ALSO 2
#endif
chan c = [1] of { byte };
active proctype A() { do :: c!ALSO; c?_ od }
notrace { L: do :: c!1 od }
