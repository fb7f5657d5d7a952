// A partner that is not provided with what it needs is not ready.
//: violated --search dfs --reduce sleep
//: violated --search dfs --reduce sleep+local
//: violated --search dfs --reduce sleep+stubborn+merge+dead
//: violated --reduce none
//: violated
chan ring = [0] of { byte };
byte mode, alone;
active D_proctype Caller() { if :: ring!1 :: else -> alone = 1 fi }
active proctype Hearer() provided (mode == 3) { end: ring?_ }
active proctype Keeper() { mode = 3; assert(alone == 0) }
