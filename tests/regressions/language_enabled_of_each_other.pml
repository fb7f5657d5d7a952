// Processes that ask each other whether they can move ask for ever.
//: refused
//: says for ever
active [2] proctype R() { do :: enabled(1 - _pid) -> skip od }
