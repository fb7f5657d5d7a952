// Bits that are full omit nearly all states; what was behind them was called never executed, and omissions few.
//: undecided --reduce none --store bitstate --bitstate-memory 1K
//: never never executed
//: says all but certain
//: undecided --reduce none --store bitstate --bitstate-memory 1K --json
//: says "unreached_exact":false
//: says "expected_omissions":null
//: says "omission_chance":1.0
//: undecided --reduce none --store bitstate --bitstate-memory 1K --swarm 3
//: says all but certain
//: undecided --reduce none --store hash-compact
//: says at most
//: never never executed
//: holds --reduce none
//: never never executed
int left, right;
bool both;
active proctype Left() { do :: left < 200 -> left++ :: left == 200 -> break od }
active proctype Right() { do :: right < 200 -> right++ :: right == 200 -> break od }
active proctype Both() { left == 200 && right == 200; both = true }
active proctype Read() { end: !both -> skip }
