/* The write-only variable takes what nobody wants. */
chan q = [2] of { byte, byte };
byte x;

active proctype P() { q!1,2; q!3,4; _ = 7 }
active proctype Q() { q?_,_; q?x,_; _ = x }
