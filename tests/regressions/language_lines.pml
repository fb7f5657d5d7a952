// Lines that a statement from an inline, an include or another tool stands in were those of the caller or of the text.
//: violated
//: says more.pml:40
//: violated -D INLINE
//: says more.pml:22
//: violated -D ARGUMENT
//: says more.pml:26
byte x, a[2];
# 10 "more.pml"



inline outer() {
  inner(a)
}
/* line 17 */




inline failing() {
  x = 1; assert(x == 2)
}

inline inner(w) {
  w[x + 2] = 1
}
active proctype P() {
#ifdef INLINE
  failing()
#else
#ifdef ARGUMENT
  outer()
#else
#line 40
  assert(x == 2)
#endif
#endif
}
