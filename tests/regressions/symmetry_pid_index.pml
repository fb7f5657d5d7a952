// The pid of a process that keeps its place, less three, was taken for the name of one that may change places with others.
//: violated
//: violated --reduce symmetry --symmetry segmented
//: violated --reduce symmetry --symmetry full
//: violated --reduce none
byte gone[3];
byte first = 1;
active [3] proctype Walker() {
end: do
  :: first == 1; first = 0
  :: gone[_pid] == 0; gone[_pid] = 1
  od
}
active proctype Guard() {
end: gone[_pid - 3] == 1 && gone[1] == 0 -> assert(false)
}
