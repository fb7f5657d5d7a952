// Each type has four of the one before: that is found to be too much, and not gone through.
//: refused
//: says variables take more than
typedef Leaf { short value }
typedef A { Leaf x[4] } typedef B { A x[4] } typedef C { B x[4] } typedef D { C x[4] } typedef E { D x[4] }
typedef F { E x[4] } typedef G { F x[4] } typedef H { G x[4] } typedef I { H x[4] } typedef J { I x[4] }
typedef K { J x; J y; J z } typedef L { K x; K y } typedef M { L x; L y } typedef N { M x; M y } typedef O { N x; N y }
typedef P { O x; O y } typedef Q { P x; P y } typedef R { Q x; Q y } typedef S { R x; R y } typedef T { S x; S y }
T tree;
active proctype Main() { skip }
