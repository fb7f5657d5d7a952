/* Conflict sets that are not kept with states (paper 000, algorithm 3) lose deadlocks: 6 of 8 are
   found. Processes are tried from First to Third. */

bit g, h;

active proctype Third()
{
	do
	:: g = 1
	:: h = 1 - h
	:: break
	od;
	false
}

active proctype Second()
{
	bit l;

	do
	:: g = l; l = 1 - l
	:: break
	od;
	false
}

active proctype First()
{
	do
	:: g = 0
	:: g = 1 - g -> break
	od;
	false
}
