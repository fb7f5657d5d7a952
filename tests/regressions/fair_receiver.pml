/* Who takes a message of a rendezvous has moved, too, and so has who goes on with the atomic sequence. */
//: violated --fair --no-end-states --property turned
//: violated --fair --no-end-states --property turned --search ndfs
//: violated --fair --no-end-states --property turned --engine interpret
//: violated --fair --no-end-states --property turned --reduce none --search ndfs --engine interpret
//: violated --fair --no-end-states --property turned --reduce none --threads 2
//: violated --fair --no-end-states --property marked
//: never Taker) could always move
//: violated --fair --no-end-states --progress --property progress
chan hand = [0] of { byte };
byte turned, marked;
active proctype Giver() { do :: atomic { hand!1; hand!2 } od }
active proctype Taker() {
	do
	:: atomic { hand?1 -> hand?2 }
	:: turned = 1; progress: skip
	od
}
active proctype Third() {
	do
	:: atomic { hand?1; hand?2; marked = 0 }
	:: marked = 1
	od
}
ltl turned { <> (turned == 1) }
ltl marked { <> (marked == 1) }
