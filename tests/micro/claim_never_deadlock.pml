/* A claim about a system that comes to its end: the last state is repeated. */
byte x;

active proctype P() { x = 1; x = 2 }

never {
T0:	if
	:: x < 2 -> goto T0
	:: x == 2 -> goto accept_T1
	fi;
accept_T1:
	if
	:: x == 2 -> goto accept_T1
	fi
}
