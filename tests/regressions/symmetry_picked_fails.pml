// The choice of the execution is that of another process than on the path through representatives.
//: everywhere violated
//: violated --reduce symmetry --symmetry full
//: violated --reduce symmetry --symmetry sorted --search dfs
//: violated --reduce symmetry --property lit
//: exit 0 symmetry
//: says Node (0), Node (1), Node (2) can change places
byte next = 7, count;
bit lit[3];
active [3] proctype Node() {
  do
  :: next == _pid -> if :: lit[_pid] == 0 -> lit[_pid] = 1; count++; assert(count < 3) :: else fi; next = 7
  od
}
active proctype Chance() {
  byte one = 7;
  do
  :: next == 7; select(one : 0 .. 2); next = one; one = 7
  od
}
ltl lit { [] (count < 3) }
