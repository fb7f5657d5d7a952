/* Sleep sets that are not kept with states (paper 002, algorithm 2) lose one of 4 deadlocks, of 91 states. */

chan q = [2] of { bit };
bit h;

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
	   :: h = l; goto stop
	   od
	od;
stop:	false
}

active proctype Second()
{
	bit l;

	do
	:: l = h; l != 1
	od
}

active proctype First()
{
	do
	:: q!0
	:: q!1
	od
}
