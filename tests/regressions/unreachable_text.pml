// Statements that no step leads to were not named among those that are never executed.
//: holds --reduce none
//: says never executed
//: says :12 (Jump) at = 9
//: says :13 (Jump) assert(0)
//: says :16 (Jump) at = 7
//: says :18 (Nobody) at = 8
byte at;
active proctype Jump() {
  at = 1;
  goto there;
  at = 9;
  assert(false);
there:
  do :: at < 3 -> at++ :: at >= 3 -> at = 2 od;
  at = 7
}
proctype Nobody() { at = 8 }
