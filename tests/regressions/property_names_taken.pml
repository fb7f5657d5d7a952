// A formula that is called as something else is for --property was not checked: `safety` holds.
//: violated
//: refused --property safety
//: says name
//: refused --property progress
//: refused --property acceptance
//: holds --property other
byte count;
active proctype Count() { do :: count < 3 -> count++ :: count == 3 -> count = 0 od }
ltl safety { [] (count < 2) }
ltl progress { <> (count == 3) }
ltl acceptance { [] <> (count == 1) }
ltl other { [] (count < 4) }
