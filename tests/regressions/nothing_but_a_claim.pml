// A model in which nothing runs, and one whose only process is at its end at once.
//: refused
//: says nothing runs
//: refused -DCLAIM
//: holds -DEMPTY
//: holds -DEMPTY --reduce none --json
//: says "unreached":[]
//: violated -DEMPTY --ltl 'false'
#ifdef EMPTY
active proctype Empty() { skip }
#endif
byte unused;
#ifdef CLAIM
never { do :: unused == 1 -> break :: else od }
#endif
