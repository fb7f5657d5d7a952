/* A notrace that has no end is over with the first event that does not match. */
chan c = [1] of { byte };

active proctype P() { if :: c!1 :: c!2 fi; c!1 }
active proctype Q() { c?_; c?_ }

notrace { do :: c!1 od }
