// Processes that ask each other whether they can move ask for ever.
//: refused
//: says for ever
//: violated -D LATER
//: says ask each other
#ifdef LATER
active proctype R() { byte x; x = 1; enabled(1) -> skip }
active proctype Q() { byte x; x = 1; enabled(0) -> skip }
#else
active [2] proctype R() { do :: enabled(1 - _pid) -> skip od }
#endif
