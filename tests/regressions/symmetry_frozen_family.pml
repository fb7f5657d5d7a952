// Two families known by pids in one array: those of the second stay where they are, and their pids are names all the same.
//: violated
//: violated --reduce symmetry --symmetry sorted
//: violated --reduce none
bit seat[2];
bit taken;
proctype Look(byte way) {
end: do
  :: way == 7 && seat[_pid - 3] == 1 -> assert(false)
  od
}
active [2] proctype Sit() {
end: do
  :: atomic { !taken -> taken = 1 }; seat[_pid] = 1
  od
}
init { atomic { run Look(7); run Look(2) }; end: false }
