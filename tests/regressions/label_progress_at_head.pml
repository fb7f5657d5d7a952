// A progress label on a selection or block at the head of an option was dropped: the loop was called one without progress.
//: everywhere holds --progress -D 'S={x=1-x;x=x}'
//: everywhere holds --progress -D 'S=if::x==0->x=1;x=x::x==1->x=0;x=x;fi'
//: everywhere holds --progress -D 'S=if::x==0->skip;x=1::x==1->skip;x=0;fi'
//: everywhere holds --progress -D 'S=d_step{x=1-x;progress_inside:x=x}'
//: says has no effect: it is inside a d_step
byte x;

active proctype A() {
  do
  :: progress: S
  od
}
