/* A server and two clients that meet by rendezvous again and again. */
chan req = [0] of { byte };
chan rep = [0] of { byte, bool };
byte owner;

active proctype Server() {
	byte who;
	end: do
	:: req?who -> owner = who; rep!who,true; rep?eval(who),false -> owner = 9
	od
}

active [2] proctype Client() {
	byte n;
	do
	:: n < 2 -> req!_pid; rep?eval(_pid),true; assert(owner == _pid); rep!_pid,false; n++
	:: n == 2 -> break
	od
}
