/* A proposition matters where its value does. */
//: holds --property index
//: holds --property index --search ndfs
//: holds --property index --threads 2
//: holds --property quotient
//: holds --property both
//: violated --property asked
//: says division by zero, in a proposition
//: violated --property later
byte a[3], i;
active proctype Up() { do :: i < 3 -> a[i] = 1; i++ :: else -> break od }
ltl index { [] (i < 3 -> <> (a[0] == 1) && a[i] <= 1) }
ltl quotient { [] ((i == 0) || (<> (i == 3) && 6 / i >= 2)) }
ltl both { ([] (i != 0 -> X (i != 0))) && [] (i == 0 || 6 / i > 1) }
ltl asked { [] (<> (i == 3) && 6 / i >= 2) }
ltl later { <> (i == 2 && X X X (a[i] == 1)) }
