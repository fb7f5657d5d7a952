/* Events that a trace does not go on with; it stays where it is. */
mtype = { put, get };
chan q = [2] of { mtype, byte };

active proctype P() { q!put,1; if :: q!put,2 :: q!get,0 fi }
active proctype Q() { byte v; end: do :: q?put,v :: q?get,v od }

trace { end: do :: q!put,_; q!get,0 od }
