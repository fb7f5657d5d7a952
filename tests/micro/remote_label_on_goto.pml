/* Another process looks where P stands: at labels on statements, jumps and ifs. */
byte x;

active proctype P() {
start:	x = 1;
jump:	goto there;
there:	if
	:: x == 1 -> x = 2
	:: x == 5 -> x = 6
	fi;
last:	x == 7
}

active proctype Q() {
	if
	:: P@there -> x = 5
	:: P@start -> skip
	:: P@last -> x = 7
	fi;
	P@last -> x = 7
}
