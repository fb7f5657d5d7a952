/* Of two labels on a jump one was moved to where a process stands, and the other was dropped. */
//: violated -DONE
//: violated -DTWO
//: holds -DTHREE --progress --property progress
byte x;

active proctype P() {
M:	x = 1 - x;
#ifdef ONE
L: accept: goto M
#endif
#ifdef TWO
progress: accept: goto M
#endif
#ifdef THREE
L: progress: goto M
#endif
}
