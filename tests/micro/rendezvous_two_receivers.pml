/* A sender with a choice of two receivers. */
chan c = [0] of { byte };
byte a[2];

active [2] proctype R() { byte v; c?v; a[_pid] = v; c?v; a[_pid] = a[_pid] + v }

active proctype S() { c!1; c!2; c!3; c!4 }
