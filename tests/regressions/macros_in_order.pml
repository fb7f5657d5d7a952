// What -U takes away was taken away after all of -D, wherever it stood.
//: violated -U LIMIT -D LIMIT=3
//: violated -DLIMIT=1 -ULIMIT -DLIMIT=3
//: holds -D LIMIT=3 -U LIMIT
//: holds -ULIMIT
//: violated -DLIMIT=1 -DLIMIT=3
//: refused -D=3
//: refused -U 3
#ifndef LIMIT
#define LIMIT 1
#endif
byte sum;
active proctype Count() { sum = LIMIT; assert(sum < 3) }
