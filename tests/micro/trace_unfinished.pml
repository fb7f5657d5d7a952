/* A trace that waits for more when nothing moves any more. */
chan q = [1] of { byte };

active proctype P() { q!1; if :: q!2 :: skip fi }
active proctype Q() { byte v; end: do :: q?v od }

trace { q!1; q!2 }
