/* A trace asks at each send and receive which channel a variable holds: nobody else need read it. */
//: everywhere violated
//: violated --reduce dead
//: violated --reduce merge+dead
chan c = [1] of { byte };
typedef Pair { byte first; chan second };
Pair pairs[2];

trace { pairs[1].second!1; pairs[1].second!2 }

active proctype P() { pairs[1].second = c; c!1; c?_; c!3 }
