// A reference to a variable of another process of the type that is being declared was refused.
//: everywhere violated --keep-going
//: states 12
active [2] proctype P() { byte x; x = 1; P[1]:x == 1 }
