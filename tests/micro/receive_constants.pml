/* Receives with constants, mtypes, negative numbers and true or false. */
mtype = { red, green };
chan q = [2] of { mtype, short, bool };
byte x;

active proctype P() { q!red,-1,true; q!green,5,false; q!red,5,true }

active proctype Q() {
	do
	:: q?red,-1,true -> x++
	:: q?green(5, false) -> x = x + 2
	:: q?red,5,_ -> break
	od
}
