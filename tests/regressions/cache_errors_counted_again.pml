/* What is wrong in states that a cache forgot and visited again is counted again: that is said. */
//: exit 1 check --no-trail --keep-going --reduce none --search dfs --store cache=300 --json
//: says "errors_exact":false
//: exit 1 check --no-trail --keep-going --reduce none --search dfs --json
//: says "errors_exact":true
byte x;
active proctype P() { byte i; do :: i < 5 -> i++ :: i > 0 -> i-- :: else -> break od }
active proctype Q() { byte j; do :: j < 5 -> j++ :: j > 0 -> j-- od }
active proctype R() { x++; assert(x != 1) }
