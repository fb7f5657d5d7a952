/* The second algorithm of paper 003 (dfs3) never executes the assertion. */

chan c = [1] of { bit };

active proctype Sender()
{
	do
	:: c!1;
	   if
	   :: skip
	   :: c!1; break
	   fi
	od;
	assert(false)
}

active proctype Receiver()
{
end:	do
	:: c?1
	od
}
