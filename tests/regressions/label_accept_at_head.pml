// A label on a selection or block at the head of an option was dropped: nobody stands there, and SPIN marks what is
// behind the guard.
//: everywhere violated -D 'S={x=1-x;x=x}'
//: says at the head of an option
//: everywhere violated -D 'S=if::x==0->x=1::x==1->x=0;x=x;fi'
//: everywhere violated -D 'S=if::if::x==0->x=1::x==5;fi;x=x::x==1->x=0;fi'
//: everywhere violated -D 'S=do::x==0->x=1;break::x==1->x=0;break;od'
//: everywhere violated -D 'S=x=1-x;x=x'
//: everywhere violated -D 'S=flip()'
//: everywhere violated -D 'S=for(i:0..1){x=1-x}'
//: everywhere violated -D 'S=select(i:0..x);x=1-x'
//: everywhere violated -D 'S={do::x==0->x=1;break::x==1->x=0;break;od}'
byte x, i;
inline flip() { x = 1 - x; x = x }

active proctype A() {
  do
  :: accept_here: S
  :: x == 7 -> skip
  od
}
