// What a statement computes was not computed, because nobody needs the value: it can be at fault.
//: everywhere violated -D 'S=_=1/i'
//: everywhere violated -D 'S=_=a[i+2]'
//: everywhere violated -D 'S=printm(m[i+2])'
//: everywhere violated -D 'S=d_step{i=0;printm(m[i+2])}'
//: everywhere violated -D 'S=d_step{i=0;printf("%d",1/i)}'
//: everywhere violated -D 'S=d_step{i=0;_=1/i}'
//: everywhere violated -D 'S=atomic{i=0;printf("%d",a[i+2])}'
//: everywhere violated -D 'S=i=0;_=1/i;i=0'
//: everywhere holds -D 'S=_=a[i+1];printm(m[i+1]);printf("%d",1/(i+1))'
mtype = { p, q };
mtype m[2];
byte i, a[2];
active proctype A() { S }
active proctype B() { skip }
