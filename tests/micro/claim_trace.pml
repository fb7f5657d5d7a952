/* A trace that the sends and receives must follow. */
chan q = [1] of { byte };

active proctype P() { q!1; q!2; q!1; q!2 }
active proctype Q() { byte v; end: do :: q?v od }

trace { end: do :: q!1; q!2 od }
