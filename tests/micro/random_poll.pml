/* Tests of a channel for a message that need not be its first one. */
chan q = [3] of { byte, bool };
byte x;

active proctype P() { q!1,0; q!2,1; q!3,0 }

active proctype Q() {
	if
	:: q??[2,_] -> x = 2
	:: q?[3,_] -> x = 3
	fi;
	do
	:: q??[3,0] -> q??3,_; x++
	:: q?[1,0] -> q?1,_; x = x + 10
	:: len(q) == 1 && q?[2,true] -> break
	od
}
