// What stands behind an escape can be executed as long as nobody is ready to take the message that the escape offers.
//: violated --search dfs --reduce sleep
//: violated --search dfs --reduce sleep+overman
//: violated --search dfs --reduce sleep+stubborn=deletion+merge
//: everywhere violated
chan ring = [0] of { byte };
byte tone, alone;
active proctype Caller() { { alone = 1; alone = 2 } unless { ring!2 } }
active proctype Hearer() { end: if :: ring?eval(tone) -> skip :: ring?9 -> skip fi }
active proctype Tuner() { atomic { tone = 1; tone = 2 }; assert(alone != 2) }
