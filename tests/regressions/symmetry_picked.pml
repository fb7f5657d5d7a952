// To pick any of all processes is not to spell out one of them.
//: holds --reduce symmetry
//: exit 0 symmetry
//: says Node (0), Node (1), Node (2) can change places
byte next = 7;
bit lit[3];
active [3] proctype Node() {
  do
  :: next == _pid -> lit[_pid] = 1 - lit[_pid]; next = 7
  od
}
active proctype Chance() {
  byte one = 7;
  do
  :: next == 7; select(one : 0 .. 2); next = one; one = 7
  od
}
