// A formula looks into the process that a variable names, which is one of those that change places only by number.
//: violated
//: violated --reduce symmetry
//: violated --reduce none
byte at = 20;
bit said;
active proctype Lamp() { on: end: do :: false od }
proctype Eye(byte me) {
end: do
  :: atomic { !said -> said = 1 }; at = me
  od
}
init { atomic { run Eye(6); run Eye(0) }; end: do :: false od }
ltl dark { [] !Lamp[at]@on }
