// Of a process that waits at a d_step only the first of its choices was named, and not that it may not move.
//: violated
//: says ready==1
//: says ready==2
//: says provided
byte ready;
bool open;
active proctype Held() provided (open) { ready = 1 }
active proctype Choice() { d_step { if :: ready == 1 -> skip :: ready == 2 -> skip fi } }
