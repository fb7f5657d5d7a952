/* A data transfer protocol in the manner of the one (DTP) that papers 000 and 002 measure, for
   experiments with caching and encoding. A connection is opened, TOTAL data with sequence numbers
   modulo NUMBERS go through a window of WINDOW, and the connection is closed. The medium loses up to
   LOSSES messages, of either direction; what was not acknowledged is sent again when nothing else can
   happen, or, up to HASTY times, too early. The receiver takes data in order only, and acknowledges all
   up to what it took. The content of the data is the parity of their number: data that are lost or
   doubled unnoticed fail an assertion. */

#ifndef TOTAL
#define TOTAL 6
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef NUMBERS
#define NUMBERS 4
#endif
#ifndef ROOM
#define ROOM 3
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef HASTY
#define HASTY 1
#endif

mtype = { connect, accept, data, ack, finish, finished };

chan forth = [ROOM] of { mtype, byte, bit };
chan back = [ROOM] of { mtype, byte };

active proctype Sender()
{
	byte low, high, number, again;
	byte early = HASTY;

	forth!connect(0, 0);
	do
	:: back?accept(_) -> break
	:: timeout -> forth!connect(0, 0)
	:: early > 0 -> early--; forth!connect(0, 0)
	od;

	do
	:: high < TOTAL && high - low < WINDOW ->
		forth!data(high % NUMBERS, high % 2);
		high++
	:: back?ack(number) ->
		/* all before the number that is acknowledged has arrived */
		do
		:: low < high && low % NUMBERS != number && again < WINDOW -> low++; again++
		:: else -> break
		od;
		again = 0; number = 0
	:: back?accept(_)
	:: timeout -> goto repeat
	:: early > 0 && low < high ->
		early--;
repeat:		again = low;
		do
		:: again < high -> forth!data(again % NUMBERS, again % 2); again++
		:: else -> break
		od;
		again = 0
	:: low == TOTAL -> break
	od;

	forth!finish(0, 0);
	do
	:: back?finished(_) -> break
	:: back?ack(_)
	:: back?accept(_)
	:: timeout -> forth!finish(0, 0)
	od
}

active proctype Receiver()
{
	byte wanted, number;
	bit parity;

	forth?connect(_, _);
	back!accept(0);
end:	do
	:: forth?connect(_, _) -> back!accept(0)
	:: forth?data(number, parity) ->
		if
		:: number == wanted % NUMBERS ->
			assert(parity == wanted % 2);
			assert(wanted < TOTAL);
			wanted++
		:: else
		fi;
		number = 0; parity = 0;
		back!ack(wanted % NUMBERS)
	:: forth?finish(_, _) ->
		assert(wanted == TOTAL);
		back!finished(0)
	od
}

active proctype Medium()
{
	byte losses = LOSSES;

end:	do
	:: losses > 0 -> losses--;
end1:		if
		:: forth?_, _, _
		:: back?_, _
		fi
	od
}
