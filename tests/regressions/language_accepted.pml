// What SPIN reads was refused, or read differently.
//: states 4 -D 'S=if::x<3-->x++::else;fi'
//: states 5 -D 'S=half(x)'
//: states 4 -D 'S=late()'
//: refused -D 'S=x=1;byte a[3]={1,2}'
//: states 7 -D 'S=x=1;byte a[3]={7};assert(a[0]==7);assert(a[1]==7);assert(a[2]==7)'
//: holds -D 'S=x=1;byte a[3]={7};assert(a[0]==7);assert(a[1]==7);assert(a[2]==7)'
//: states 3 -D 'S=byte a[n];a[2]=1'
//: says for ever
//: violated -D 'S=byte a[n];x=3;a[x]=1'
//: holds -D 'S=byte a[x];x=7;a[x]=1'
//: refused -D 'S=byte a[n+1];a[2]=1'
//: states 4 -D 'S=mtype:later m;m=2;(m==2)'
//: states 6 -D 'S=byte i;select(i:0..3)'
//: states 13 -D 'S=byte i;select(i:0..(3))'
//: states 13 -D 'S=byte i;select(i:0..1+2)'
//: refused -D 'S=byte i;select(i:3..1)'
//: says empty
//: refused -D 'S=byte i;select(i:(3)..1)'
//: refused -D 'S=byte i;for(i:3..1){skip}'
//: states 4 -D 'S=c!0;c?(_pid)'
//: says eval(_pid)
//: violated -D 'S=k!1'
//: says executing this is a fault
//: refused -D 'S=k!1,2,3'
//: violated -D 'S=k!1,2;k?x'
//: violated -D 'S=k!1,2;k?x,x,x'
//: holds -D 'S=k!1,2;k?[x]'
//: holds -D 'S=x=__STDC__+__linux__+linux+unix;assert(x==4)'
//: refused -D 'S=atomic{end:false}'
//: violated -D 'S=do::end:false;od'
//: states 1 -D 'S=do::end:false;od'
byte n = 3, x;
chan c = [2] of { byte }, k = [2] of { byte, byte };
/* a comment /* in a comment */ */
inline half(a) {
  if
  :: true -> skip
  fi
  a = 1;
}
inline late() {
  skip
  x = 1
}
init { S }
