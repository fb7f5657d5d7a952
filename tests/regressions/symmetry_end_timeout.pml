// There is no timeout as long as the youngest can end, which one that has its place cannot.
//: everywhere violated
//: violated --reduce symmetry
byte left = 2;
active proctype Waits() { left == 7 }
active [2] proctype Goes() { timeout -> left--; assert(left > 0) }
