/* A rendezvous is a send and then a receive. */
chan q = [0] of { byte };
chan r = [1] of { byte };

active proctype P() { q!1; q!2; q!1 }
active proctype Q() { byte v; end: do :: q?v -> r!v od }
active proctype R() { byte v; end: do :: r?v od }

trace { end: do :: q!1; q?1 :: q!2; q?2 od }
