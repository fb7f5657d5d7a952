// Of formulas, claims and progress that options added, --property left out all but one without a word.
//: holds --property safety
//: violated --property safety --ltl '[] (turns < 2)'
//: says ltl formula
//: violated --property safety --progress
//: violated --property returns --progress
//: violated --property returns --ltl '[] (turns < 2)'
//: violated --property progress --ltl '<> (turns == 0)'
//: violated --property safety --ltl-file {here}/beside/turns.ltl
//: violated --property safety --claim {here}/beside/turns.never
//: holds --property returns --ltl '[] (turns < 3)'
//: refused --property returns --checkpoint {here}/no/folder
//: says --checkpoint
//: refused --property returns --encode rle
//: refused --property safety --fair
//: refused --property nothing
//: holds --property returns --json
//: says "unreached_exact":false
//: says "reduction":null
byte turns;
active proctype Turn() { do :: turns < 2 -> turns++ :: turns == 2 -> turns = 0 od }
ltl returns { [] <> (turns == 0) }
