/* A variable that one process writes, and a trace reads while another sends, is no variable of that process. */
//: everywhere violated
//: violated --reduce merge
chan c = [2] of { byte };
chan e = [2] of { byte };
chan d;

trace { do :: d!1 od }

active proctype P() { d = e; d = c; d = e }
active proctype Q() { byte y; y = 1; c!3 }
