// A message that is offered is in its channel for those who are asked to take it, as in SPIN; in a buffer it is gone when the
// last of its fields is stored.
//: everywhere violated --no-end-states -D 'R=c?eval(len(c));assert(false)'
//: everywhere holds -D 'R=c?eval(1+len(d));assert(len(c)==0)'
//: everywhere violated -D 'R=c?eval(1+len(c))'
//: everywhere holds -D 'R=c?a[len(c)];assert(a[0]==1&&a[1]==0)'
//: everywhere holds -D 'R=c?x;d!5;d?a[len(d)];assert(a[0]==5&&a[1]==0)'
//: everywhere holds -D 'R=c?x;k!5,6;k?a[len(k)],b[len(k)];assert(a[1]==5&&b[0]==6)'
//: everywhere holds -D 'R=c?x;k!5,6;k?a[len(k)],6;assert(a[1]==5)'
//: violated --engine interpret '-DP=provided(len(c)==0)' -D 'R=c?x'
//: violated --engine interpret '-DP=provided(empty(c))' -D 'R=c?x'
//: holds --no-end-states --engine interpret '-DP=provided(len(c)==1)' -D 'R=c?x;assert(false)'
#ifndef P
#define P
#endif
byte x, a[3], b[3];
chan c = [0] of { byte }, d = [1] of { byte }, k = [2] of { byte, byte };
active proctype A() { c!1 }
active proctype B() P { R }
