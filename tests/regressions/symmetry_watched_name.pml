// The same with a variable of the process: somebody has the pid that one of the names is, and one of another type has the other.
//: violated
//: violated --reduce symmetry
//: violated --reduce none
bit said;
active proctype Lamp() { byte light = 3; end: do :: light == 0 od }
active proctype Wall() { byte light = 0; end: do :: light == 1 od }
proctype Eye(byte at) {
end: do
  :: atomic { !said -> said = 1 }; assert(at == 1 || Lamp[at]:light == 0)
  od
}
init { atomic { run Eye(1); run Eye(0) }; end: false }
