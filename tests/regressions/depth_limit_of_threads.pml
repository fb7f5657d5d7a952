/* No thread waits for what a limit on depth keeps others from. */
//: undecided --reduce none --max-depth 12 --threads 2
//: undecided --max-depth 12 --threads 4
//: undecided --max-depth 3 --threads 3
byte x, y;
active proctype Right() { do :: x < 40 -> accept: x++ :: else -> break od }
active proctype Up() { do :: y < 40 -> y++ :: else -> break od }
ltl ends { <> (x == 40 && y == 40) || [] <> (x < 41) }
