/* A row of atomics handed from process to process by full and empty channels. */
chan q = [1] of { byte };
chan r = [1] of { byte };
byte x;

active proctype A() { byte v; atomic { q!1; x++; q!2; x++; r?v; x = v } }
active proctype B() { byte v; atomic { q?v; x = x + 10; q?v; x = x + 10; r!x } }
