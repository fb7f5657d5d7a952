/* After its end a trace allows no event, but it is complete. */
chan q = [1] of { byte };

active proctype P() { q!1; if :: q!2 :: skip fi }
active proctype Q() { byte v; end: do :: q?v od }

trace { q!1 }
