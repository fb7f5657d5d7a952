/* The channel that a trace names comes by a message, and nobody but the trace asks for it. */
//: everywhere violated
//: violated --reduce dead
chan c = [1] of { byte };
chan k = [1] of { chan };
chan d;

notrace { d!1; d!3 }

active proctype P() { k!c; k?d; c!1; c?_; c!3 }
