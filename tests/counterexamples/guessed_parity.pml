/* A claim for p U [] q that guesses the parity of the position (Siegel, CAV 2019): a reduction that is chosen for each
   pair of states of system and claim loses the execution. */
byte g;

#define p (g == 0)
#define q (g == 1)

active proctype P1() { byte l; do :: l = 1 od }

active proctype P0() { byte z; z = 1; z = 2; do :: g = 1 od }

never {
	if
	:: p -> goto A0
	:: p -> goto A1
	:: q -> goto accept_B0
	:: q -> goto accept_B1
	fi;
A0:	if
	:: p -> goto A1
	:: q -> goto accept_B0
	:: q -> goto accept_B1
	fi;
A1:	if
	:: p -> goto A0
	fi;
accept_B0:
	if
	:: q -> goto accept_B1
	fi;
accept_B1:
	if
	:: q -> goto accept_B0
	fi
}
