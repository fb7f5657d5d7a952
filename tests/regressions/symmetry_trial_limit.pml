// To try out whether symmetry is worth it takes no longer than the search may.
//: undecided --max-time 1s
//: undecided --max-time 1s --reduce symmetry
active [2] proctype Slow() {
  int i;
  int rounds;
end: do
  :: rounds < 30000 -> d_step { i = 0; do :: i < 150000 -> i++ :: else -> break od; rounds++ }
  od
}
