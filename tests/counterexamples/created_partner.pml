/* A process that is created may accept a rendezvous that was possible before with another: to create it is not
   independent of the rendezvous. The assertion fails after that only. */

chan c = [0] of { bit };

proctype Late()
{
	c?_;
	assert(false)
}

active proctype Creator()
{
	run Late()
}

active proctype Partner()
{
	c?_
}

active proctype Caller()
{
	c!1
}
