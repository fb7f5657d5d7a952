// A merged step goes on to a receive, at which a sleeping sender could be waited for.
//: violated --search dfs --reduce sleep+merge
//: violated --search dfs --reduce sleep+merge+dead --store cache=100
//: violated --search dfs --reduce sleep+stubborn+merge
//: violated --search dfs --reduce sleep
//: everywhere violated
chan offer = [0] of { byte };
byte last;
active proctype Taker() { byte a; a = 4; a = 5; end: offer?a; last = a; assert(last != 1) }
active proctype Other() { byte b; end: offer?b; b = last }
active proctype Giver() { offer!1 }
