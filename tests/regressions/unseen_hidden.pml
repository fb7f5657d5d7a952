// Of what hidden variables keep from being seen it was said that it is never executed.
//: undecided --reduce none
//: never never executed
//: says not seen
//: undecided --reduce none --json
//: says "unreached_exact":false
hidden byte mark;
byte out;
active proctype Choose() {
  if :: mark = 3 :: mark = 4 fi;
  if :: mark == 3 -> out = 1 :: mark == 4 -> out = 2 fi
}
active proctype Look() { end: out == 3 -> skip }
