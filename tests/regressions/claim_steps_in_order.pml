/* What a claim evaluates: in the order of its text, and no more than that. */
//: holds --claim {here}/beside/guarded.never
//: holds --claim {here}/beside/guarded.never --search ndfs --reduce none
//: violated --claim {here}/beside/unguarded.never
//: says division by zero, in a proposition
//: violated --claim {here}/beside/unguarded_print.never
//: violated --claim {here}/beside/d_step.never
//: violated --claim {here}/beside/d_step.never --reduce none --engine interpret
//: holds --claim {here}/beside/d_step_holds.never
//: undecided --claim {here}/beside/d_step_blocked.never
byte n;
active proctype Up() { n = 1; n = 2; n = 4 }
