/* Who neither begins a step nor takes a message has not moved. */
//: holds --fair --no-end-states --property done
//: holds --fair --no-end-states --property done --search ndfs
//: violated --no-end-states --property done
chan hand = [0] of { byte };
bit done;
active proctype Giver() { do :: hand!1 od }
active proctype Taker() { do :: hand?_ od }
active proctype Last() { done = 1 }
ltl done { <> (done == 1) }
