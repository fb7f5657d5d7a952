/* Two messages in a row that must not be. */
chan q = [2] of { byte };

active proctype P() { if :: q!1 :: q!2 fi; if :: q!1 :: q!2 fi }
active proctype Q() { byte v; end: do :: q?v od }

notrace { q!1; q!2 }
