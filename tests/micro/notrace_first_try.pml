/* A notrace is over with the first event that it does not go on with. */
chan q = [2] of { byte };

active proctype P() { q!2; q!1; q!2 }
active proctype Q() { byte v; end: do :: q?v od }

notrace { q!1; q!2 }
