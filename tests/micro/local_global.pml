/* A global that one process promises to use alone. */
local byte mine;
byte all;

active proctype P() { mine = 1; all = mine; mine = 2; all = all + mine }
active proctype Q() { all = 7; all = 8 }
