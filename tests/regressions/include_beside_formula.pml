// A file that a formula includes was looked up where the tool was started, not beside the formula.
//: violated --ltl-file {here}/beside/stays.ltl
//: violated --ltl-file {here}/beside/plain.ltl
//: violated --claim {here}/beside/leaves.never
//: holds --ltl low
#define low (level <= 5)
byte level;
active proctype Fill() { level = 1; level = 2 }
