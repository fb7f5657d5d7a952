/* An atomic sequence is interrupted where nobody accepts its offer. So it matters whether the partner arrives
   before: only if it does not, the caller commits itself, and waits for ever when the partner chooses otherwise.
   SPIN 6.5.2 takes the partner's own steps first and finds nothing; without its reduction it finds the deadlock. */

bit wanted = 1;
chan c = [0] of { bit };

active proctype Caller()
{
end:
	if
	:: atomic { wanted -> c!1 }
	fi
}

active proctype Partner()
{
	bit x;
	x = 1;
	x = 0;
	if
	:: c?x
	:: wanted = 0
	fi
}
