// A loop that nobody can interrupt picks any of all processes; the execution goes round it as often as its number asks for.
//: everywhere violated
//: violated --reduce symmetry --symmetry full
//: violated --reduce symmetry --symmetry sorted --search dfs
//: violated --reduce symmetry --property lit
//: exit 0 symmetry
//: says Node (0), Node (1), Node (2) can change places
#define N 3
byte next = 7, count;
bit lit[N];
active [N] proctype Node() {
  do
  :: next == _pid -> if :: lit[_pid] == 0 -> lit[_pid] = 1; count++; assert(count < N) :: else fi; next = 7
  od
}
active proctype Chance() {
  byte one = 7;
  do
  :: atomic { next == 7; select(one : 0 .. N - 1); next = one }; one = 7
  od
}
ltl lit { [] (count < N) }
