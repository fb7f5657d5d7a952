#define rand	pan_rand
#define pthread_equal(a,b)	((a)==(b))
#if defined(HAS_CODE) && defined(VERBOSE)
	#ifdef BFS_PAR
		bfs_printf("Pr: %d Tr: %d\n", II, t->forw);
	#else
		cpu_printf("Pr: %d Tr: %d\n", II, t->forw);
	#endif
#endif
	switch (t->forw) {
	default: Uerror("bad forward move");
	case 0:	/* if without executable clauses */
		continue;
	case 1: /* generic 'goto' or 'skip' */
		IfNotBlocked
		_m = 3; goto P999;
	case 2: /* generic 'else' */
		IfNotBlocked
		if (trpt->o_pm&1) continue;
		_m = 3; goto P999;

		 /* PROC A */
	case 3: // STATE 1 - /tmp/lg/h.pml:2 - [x = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[0][1] = 1;
		(trpt+1)->bup.oval = ((int)x);
		x = 1;
#ifdef VAR_RANGES
		logval("x", ((int)x));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 4: // STATE 2 - /tmp/lg/h.pml:2 - [x = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[0][2] = 1;
		(trpt+1)->bup.oval = ((int)x);
		x = 2;
#ifdef VAR_RANGES
		logval("x", ((int)x));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 5: // STATE 3 - /tmp/lg/h.pml:2 - [x = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][3] = 1;
		(trpt+1)->bup.oval = ((int)x);
		x = 0;
#ifdef VAR_RANGES
		logval("x", ((int)x));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 6: // STATE 5 - /tmp/lg/h.pml:2 - [x = 3] (0:0:1 - 1)
		IfNotBlocked
		reached[0][5] = 1;
		(trpt+1)->bup.oval = ((int)x);
		x = 3;
#ifdef VAR_RANGES
		logval("x", ((int)x));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 7: // STATE 9 - /tmp/lg/h.pml:2 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[0][9] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */
	case  _T5:	/* np_ */
		if (!((!(trpt->o_pm&4) && !(trpt->tau&128))))
			continue;
		/* else fall through */
	case  _T2:	/* true */
		_m = 3; goto P999;
#undef rand
	}

