// Whether `else` can be executed depends on what a partner compares the message with: a step that changes that must not
// sleep behind it.
//: violated --search dfs --reduce sleep
//: violated --search dfs --reduce sleep+stubborn
//: violated --search dfs --reduce sleep+ample+merge+dead
//: violated --search dfs --reduce sleep --store cache=100
//: everywhere violated
chan ring = [0] of { byte };
byte tone, alone;
active proctype Caller() { if :: ring!2 :: else -> alone = 1 fi }
active proctype Hearer() { end: ring?eval(tone) }
active proctype Tuner() { tone = 2; assert(alone == 0) }
