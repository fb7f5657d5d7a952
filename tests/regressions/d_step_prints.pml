// What a d_step prints was not shown.
//: exit 0 simulate
//: says inside 1
//: says inside 2
//: says taken 7
//: says outside
//: violated --reduce none
//: says inside 2
chan hand = [0] of { byte };
byte sum;
active proctype Add() {
  d_step { sum = 1; printf("inside %d\n", sum); sum = 2; printf("inside %d\n", sum) };
  printf("outside\n");
  hand!7
}
active proctype Take() {
  byte got;
  d_step { hand?got; printf("taken %d\n", got) }
}
ltl small { [] (sum < 2) }
