/* Channels of bits and bools with many fields and many places. */
chan q = [5] of { bit, bool, bit, bit, bit, bit, bit, bool, bit };
bit a, b; bool c;

active proctype P() { q!1,0,1,0,1,0,1,0,1; q!0,1,0,0,1,1,0,0,1; q!2,3,-1,4,5,6,7,8,9; q?a,c,b,_,_,_,_,_,_ }
active proctype Q() { q?a,_,_,_,_,_,_,_,b; c = len(q); q?_,_,_,0,1,a,_,_,1 }
