/* Sleep sets that are not kept with states, with the rule that an action which leads back to the stack
   does not sleep (paper 002, algorithm 2), lose 4 of 56 states: the channel full of ones with l == 0. */

chan q = [2] of { bit };

active proctype Third()
{
	bit l;

	do
	:: if
	   :: q?0
	   :: q?l
	   fi;
	   do
	   :: l = 1 - l
	   :: break
	   od
	od
}

active proctype Second()
{
	bit l;

	do
	:: l = 1 - l
	od
}

active proctype First()
{
	do
	:: q!0
	:: q!1
	od
}
