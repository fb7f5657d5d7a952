// The pid of a process that keeps its place was taken for one that may change places with others.
//: violated
//: violated --reduce none
byte seen = 7;
bit taken;
active proctype Judge() {
end: seen == _pid -> assert(false)
}
proctype Client(byte name) {
end: do
  :: atomic { taken == 0 -> taken = 1 }; seen = name
  od
}
init { atomic { run Client(0); run Client(4) }; end: false }
