// What SPIN counts beside a claim is not what is counted here; that was not said.
//: violated
//: says beside a claim
byte x;
active proctype A() { x = 1; assert(_nr_pr == 2) }
ltl p { [] (x < 3) }
