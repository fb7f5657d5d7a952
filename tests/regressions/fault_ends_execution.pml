/* An execution that ends with a fault is no proof of what infinite executions do. */
//: undecided --property reached
//: says at fault
//: undecided --property reached --search ndfs
//: undecided --property reached --threads 2
//: undecided --property reached --reduce none --engine interpret
//: undecided --property reached --fair
//: undecided --property progress
//: undecided --ltl <>(done) --property reached
//: violated
//: never ltl reached  holds
byte divisor;
bit done;
active proctype Divider() {
	byte quotient;
	if
	:: divisor = 1
	:: divisor = 0
	fi;
	quotient = 6 / divisor;
	done = 1
}
ltl reached { <> (done == 1) }
