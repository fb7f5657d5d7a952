// A label at the beginning of a sequence marks no place of its own; SPIN refuses it, here it was dropped.
//: refused -D 'S=atomic{end:false}'
//: says label 'end' cannot stand at the beginning of an atomic sequence
//: refused -D 'S=d_step{accept:x=1}'
//: says at the beginning of a d_step
//: refused -D 'S={progress:x=1}'
//: says at the beginning of a block
//: refused -D 'S=labelled()'
//: says at the beginning of an inline
//: refused -D 'S=again:x=1 unless x==3'
//: says at the beginning of the statement before 'unless'
//: refused -D 'S=x=1 unless end:x==3'
//: says at the beginning of an escape
//: holds -D 'S=x=2;{x=3;again:x=1}'
byte x;
inline labelled() { end: x = 1 }

active proctype A() {
  S
}
