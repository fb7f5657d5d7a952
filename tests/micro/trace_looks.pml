/* A look at a message is no event; a random receive and a sorted send are. */
chan q = [2] of { byte };

active proctype P() { q!!2; q!!1; q!3 }
active proctype Q() { byte v; end: do :: q?<v> :: q?1 :: q??2 :: q?[3] -> q?v od }

trace { end: do :: q?1 :: q?2 :: q?3 od }
