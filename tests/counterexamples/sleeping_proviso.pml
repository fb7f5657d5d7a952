/* A proviso that counts what sleeps is unsound, even if sleep sets are kept with states: the only step
   of First that leaves the stack is asleep, and so Second is never tried. */

byte g;

active proctype Second()
{
	g != 1;
	skip;
	assert(false)
}

active proctype First()
{
	bit l;

	do
	:: l = 1 - l
	od
}
