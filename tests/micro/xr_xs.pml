/* Channels with one reader and one writer, as promised. */
chan q = [2] of { byte };
chan r = [1] of { byte };
byte x;

active proctype A() { xs q; xr r; byte v; q!1; q!2; r?v; x = v }
active proctype B() { xr q; xs r; byte v; q?v; r!v; q?v }
