/* A process whose only step is at fault can begin it: a cycle without it is not fair. */
//: undecided --fair --property p
//: undecided --fair --property p --reduce none --engine interpret
//: undecided --fair --property p --search ndfs
//: undecided --fair --property p --threads 2
byte x, y, i = 2;
byte a[2];

active proctype P() { do :: x = 1 - x od }
active proctype Q() { y = a[i]; y = 5 }

ltl p { <> (y == 5) }
