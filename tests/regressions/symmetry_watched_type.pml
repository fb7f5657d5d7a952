// Which pids are those of a type is part of what a remote reference means: 0 is a Lamp and 1 is not.
//: violated
//: violated --reduce symmetry --symmetry full
//: violated --reduce none
bit said;
active proctype Lamp() { on: end: do :: false od }
active proctype Wall() { end: do :: false od }
proctype Eye(byte at) {
end: do
  :: atomic { !said -> said = 1 }; assert(!Lamp[at]@on)
  od
}
init { atomic { run Eye(1); run Eye(0) }; end: false }
