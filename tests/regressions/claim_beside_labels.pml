/* A claim that is added leaves the model its labels; those of processes do not make an automaton accept. */
//: violated --claim {here}/beside/never_two.never
//: says acceptance
//: violated --claim {here}/beside/never_two.never --property acceptance
//: holds --claim {here}/beside/one_for_ever.hoa --property safety
//: violated --claim {here}/beside/one_for_ever.hoa
//: says no execution violates it
//: refused --claim {here}/beside/two.hoa
bit flip;
active proctype Flip() {
	do
	:: flip = 1 - flip; accept: skip
	od
}
