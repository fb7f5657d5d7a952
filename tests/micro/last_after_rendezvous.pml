/* Who moved last after a rendezvous, and after an atomic. */
chan c = [0] of { byte };
byte a, b;

active proctype S() { c!1; atomic { a = 1; a = _last } }
active proctype R() { byte v; c?v; b = _last; b = _last }
