/* A process that waits for a message when all the others are gone. */
chan q = [1] of { byte };

active proctype P() { byte v; q?v; q?v }
active proctype Q() { q!1 }
