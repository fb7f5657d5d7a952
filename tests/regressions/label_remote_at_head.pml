// Nobody is ever seen at a label that is merged with the selection around it.
//: everywhere holds
//: says 'A@there' is never true
byte x;

active proctype A() {
  if
  :: there: atomic { x = 1; x = 2 }
  fi
}

active proctype B() {
  do
  :: A[0]@there -> assert(false)
  :: x == 2 -> break
  od
}
