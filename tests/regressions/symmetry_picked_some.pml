// To pick one of some processes keeps these from changing places with the others.
//: everywhere holds
//: holds --reduce symmetry --symmetry full
//: holds --reduce symmetry --search dfs
byte next = 7, count;
bit lit[4], said;
active [4] proctype Node() {
end: do
  :: atomic { said == 0 -> said = 1 }
  :: next == _pid -> if :: lit[_pid] == 0 -> lit[_pid] = 1; count++; assert(count < 4) :: else fi; next = 7
  od
}
active proctype Chance() {
  byte one = 7;
end: do
  :: next == 7; select(one : 0 .. 2); next = one; one = 7
  od
}
