// A promise is not kept if somebody knows one of the processes by its own pid.
//: refused
//: says is not symmetric as promised
//: refused --reduce none
/*@ symmetric Walker */
bit gone[2];
active [2] proctype Walker() {
end: do :: gone[_pid] == 0; gone[_pid] = 1 od
}
active proctype Guard() {
end: gone[_pid - 2] == 1 -> assert(gone[1] == 1)
}
