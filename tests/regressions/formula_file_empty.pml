// A file for formulas in which there is none was read without a word, and nothing was checked.
//: refused --ltl-file {here}/beside/comment.ltl
//: says there is no formula in it
//: refused --ltl-file {here}/beside/conditional.ltl
//: says there is no formula in it
//: violated -DWANTED --ltl-file {here}/beside/conditional.ltl
//: violated --ltl-file {here}/beside/outer.ltl
//: refused --claim {here}/beside/nothing.never
//: says there is no never claim in it
//: refused --claim {here}/beside/comment.ltl
//: refused --ltl ''
byte level;
active proctype Fill() { level = 1; level = 2 }
