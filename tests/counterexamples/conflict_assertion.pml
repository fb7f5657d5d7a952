/* Conflict sets that are not kept with states (paper 000, algorithm 3) miss a violated assertion: that the
   value read behind the guard can be 0 is never seen. */

bit g;

active proctype Third()
{
	bit l;

	do
	:: g = 1
	:: l = 1 - l
	od
}

active proctype Second()
{
	bit l;

	do
	:: g = l; l = 1 - l
	od
}

active proctype First()
{
	bit l;

	do
	:: g = 0
	:: g != 0 -> break
	od;
	l = g;
	assert(l == 1)
}
