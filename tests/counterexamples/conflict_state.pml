/* Conflict sets that are not kept with states (paper 000, algorithm 3) lose states: all three processes
   share g. 12 states. Lost is First at its last location, with g == 1 and Second at its first. */

bit g;

active proctype Third()
{
	bit l;

end:	do
	:: g = 1
	:: l = 1 - l
	od
}

active proctype Second()
{
end:	do
	:: g = 1; skip
	od
}

active proctype First()
{
end:	do
	:: g = 0
	:: g == 1 -> break
	od;
end1:	false
}
