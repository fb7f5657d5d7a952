/* The second algorithm of paper 003 (dfs3) expands only processes that are not deterministic and loses a
   deadlock: Receiver could make the blocked alternative of Sender possible. One round of the
   first phase tries Receiver before there is a message. */

chan c = [1] of { bit };

active proctype Sender()
{
	c!1;
	do
	:: break
	:: c!0
	od;
	false
}

active proctype Receiver()
{
	bit l;

	do
	:: c?l
	od
}
