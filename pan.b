	switch (t->back) {
	default: Uerror("bad return move");
	case  0: goto R999; /* nothing to undo */

		 /* PROC A */

	case 3: // STATE 1
		;
		x = trpt->bup.oval;
		;
		goto R999;

	case 4: // STATE 2
		;
		x = trpt->bup.oval;
		;
		goto R999;

	case 5: // STATE 3
		;
		x = trpt->bup.oval;
		;
		goto R999;

	case 6: // STATE 5
		;
		x = trpt->bup.oval;
		;
		goto R999;

	case 7: // STATE 9
		;
		p_restor(II);
		;
		;
		goto R999;
	}

