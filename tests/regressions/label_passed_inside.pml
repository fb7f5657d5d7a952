// A label that a step passes inside of an atomic sequence, where no state is kept, was dropped.
//: everywhere violated
//: violated --search ndfs
//: violated --search ndfs --engine interpret --reduce none
//: violated --threads 3
//: violated --search ndfs --threads 3 --reduce none
//: violated --fair
//: violated --fair --search ndfs
//: violated --store tree
//: violated --store collapse
//: violated --layout cells
//: everywhere violated -D LAST
//: everywhere violated -D GUARD
//: everywhere violated -D CHOICE
//: everywhere violated -D JUMP
//: everywhere violated -D OTHER
//: everywhere violated -D CLAIM
//: violated --reduce symmetry -D TWINS
//: everywhere holds -D ONCE
//: everywhere holds -D BLOCKED
//: holds --search ndfs -D BLOCKED
//: holds --search ndfs --threads 3 -D BLOCKED
//: everywhere holds -D NEVER
//: states 3 --no-claim
//: violated --progress -D PROGRESS
//: says inside of an atomic sequence
byte x;
chan c = [0] of { byte };
chan d = [0] of { byte };

#ifdef LAST
active proctype A() { do :: atomic { x = 1; accept: x = 0 } od }
#else
#ifdef GUARD
active proctype A() { do :: atomic { x = 1; x = 2; accept: (x == 2); x = 0 }; x = 0 od }
#else
#ifdef CHOICE
active proctype A() { do :: atomic { x = 1; accept: if :: x == 1 -> x = 2 :: x == 2 fi; x = 0 } od }
#else
#ifdef JUMP
active proctype A() { again: atomic { x = 1; goto accept_there; x = 2; accept_there: x = 3; x = 0; goto again } }
#else
#ifdef OTHER
active proctype A() { do :: c!1; accept: d?x od }
active proctype B() { byte y; do :: atomic { c?y; d!1 } od }
#else
#ifdef ONCE
active proctype A() { atomic { x = 1; accept: x = 2; x = 3 } }
#else
#ifdef BLOCKED
active proctype A() { atomic { x = 1; accept: x = 2; x = 3 }; end: x == 0 }
#else
#ifdef NEVER
active proctype A() { do :: atomic { x = 1; if :: x == 2; accept: x = 3; x = 0 :: else fi; x = 0 } od }
#else
#ifdef PROGRESS
active proctype A() { do :: atomic { x = 1; progress: x = 2; x = 0 } od }
#else
#ifdef TWINS
active [2] proctype A() { do :: atomic { x = 1; accept: x = 2; x = 0 } od }
#else
active proctype A() { do :: atomic { x = 1; accept: x = 2; x = 0 }; x = 4 od }
active proctype B() { x == 3 }
#endif
#endif
#endif
#endif
#endif
#endif
#endif
#endif
#endif
#endif

#ifdef CLAIM
never { do :: x < 9 od }
#endif
