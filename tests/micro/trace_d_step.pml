/* Events inside of deterministic and atomic sequences. */
chan q = [2] of { byte };
byte n;

active proctype P() { d_step { q!1; q!2 }; atomic { q!1; n++; q!3 } }
active proctype Q() { byte v; end: do :: d_step { q?v; n = v } od }

trace { end: do :: q!1; if :: q!2 :: q!3 fi od }
