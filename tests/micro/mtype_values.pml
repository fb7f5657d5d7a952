/* Mtype constants are numbers that count from the end of the list. */
mtype = { alpha, beta, gamma };
mtype = { delta, eps };
mtype m;
byte n;

active proctype P() {
	m = alpha; n = m;
	m = delta; n = m;
	m = eps; n = n * 8 + m;
	if :: m > gamma -> m = gamma :: m <= gamma -> m = beta fi
}

active proctype Q() { m = gamma; n = beta }
