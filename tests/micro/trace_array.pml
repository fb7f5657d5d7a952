/* Only sends on the first channel are watched, and only receives on the second. */
chan q[2] = [1] of { byte };

active proctype P() { q[0]!1; q[1]!2; q[0]!3 }
active proctype Q() { byte v; end: do :: q[0]?v :: q[1]?v od }

trace { q[0]!1; end: do :: q[1]?2; q[0]!3 :: q[0]!3 od }
