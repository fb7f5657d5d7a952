/* Algorithm 2 of paper 000, read as if only edges that can be executed counted, is unsound: at the start Taker
   can do one local step, and choosing it alone forgets that the receive becomes possible. 12 states. */

chan c = [2] of { bit };

active proctype Giver()
{
	do
	:: c!1
	od
}

active proctype Taker()
{
	bit l;

	do
	:: break
	:: c?l
	od;
	false
}
