// An end label on a block at the head of an option was dropped: as in SPIN it marks what is behind the guard.
//: everywhere holds -D 'S=atomic{x==0;x==1}'
//: everywhere holds -D 'S={x==0;x==1}'
//: everywhere holds -D 'S=if::x==0->x==1::x==5;fi'
//: everywhere violated -D 'S={x==1;x=0}'
//: says at the head of an option
//: everywhere violated -D 'S=false'
//: says at the head of an option
byte x;

active proctype A() {
  do
  :: end: S
  od
}
