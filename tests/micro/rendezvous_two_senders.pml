/* Two senders to one receiver, with constants that must match. */
chan c = [0] of { byte, bool };
byte got;

active proctype A() { c!1,true; c!2,false }
active proctype B() { c!2,true; c!1,false }

active proctype R() {
	bool b;
	do
	:: c?1,b -> if :: b -> got++ :: !b fi
	:: c?2,true -> got = got + 2
	:: c?2,false -> break
	od
}
