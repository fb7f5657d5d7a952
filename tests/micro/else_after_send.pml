/* An else beside sends to full and empty channels. */
chan q = [1] of { byte };
chan r = [2] of { byte };
byte lost;

active proctype P() {
	byte i;
	do
	:: i < 4 ->
		if
		:: q!i
		:: r!i
		:: else -> lost++
		fi;
		i++
	:: i == 4 -> break
	od
}

active proctype Q() {
	byte v;
	end: do :: q?v od
}
