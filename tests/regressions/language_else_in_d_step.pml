// An `else` with which a d_step begins was always executable, whatever its siblings were.
//: everywhere holds
//: states 4
//: everywhere holds -D 'O=x==0->x=1'
//: states 5 -D 'O=x==0->x=1'
//: everywhere holds -D 'O=atomic{x==0->x=1}'
//: everywhere holds -D 'O=nempty(c)->c?x'
//: everywhere holds -D 'O=c?x'
//: everywhere violated -D 'O=x==1->x=1'
//: everywhere violated -D 'O=c?2'
#ifndef O
#define O d_step { x == 0 -> x = 1 }
#endif
byte x;
chan c = [1] of { byte };
active proctype A() {
  if
  :: c!1
  fi;
  if
  :: O
  :: d_step { else -> assert(false) }
  fi
}
