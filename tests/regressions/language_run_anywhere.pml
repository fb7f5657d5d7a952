// `run` was understood in conditions and assignments only, and ended the tool elsewhere.
//: everywhere violated -D 'S=printf("%d\n",run P(1))'
//: everywhere violated -D 'S=_=run P(1)'
//: everywhere violated -D 'S=assert(run P(1)==2)'
//: everywhere holds -D 'S=assert(run P(0)==2)'
//: everywhere violated -D 'S=a[run P(1)]=1'
//: everywhere violated -D 'S=x=a[run P(1)]'
//: everywhere violated -D 'S=c!2;c?eval(run P(1))'
//: everywhere holds -D 'S=c!2;c?eval(run P(0))'
//: everywhere violated -D 'S=c!1;c?eval(run P(0))'
//: everywhere violated -D 'S=c!2;c?a[run P(1)]'
//: everywhere violated -D 'S=d?eval(run P(1))' -D R
//: everywhere holds -D 'S=d?eval(run P(0))' -D R
//: violated --engine interpret -D 'S=set_priority(run P(1),2)'
//: refused -D 'S=(x==0&&run P(1))'
//: says compound condition
//: refused -D 'S=c!run P(1)'
//: refused -D 'S=printm(run P(1))'
//: refused -D 'S=byte y=run P(1)'
//: refused -D 'S=x=1;byte y=run P(1)'
//: refused -D 'S=d_step{printf("%d",run P(1))}'
//: says d_step
//: refused -D 'S=byte i;for(i:0..run P(1)){skip}'
//: refused -D 'S=k[run P(1)]!1'
//: refused -D S=skip -D 'V=provided(run P(1)==1)'
//: says provided
byte x, a[9];
chan c = [1] of { byte }, d = [0] of { byte }, k[2] = [1] of { byte };
#ifndef V
#define V
#endif
proctype P(byte fails) { assert(!fails) }
active proctype A() V { S }
#ifdef R
active proctype B() { d!2; end: x == 200 }
#else
active proctype B() { end: x == 200 }
#endif
