/* An end label in front of a jump, of a skip and of an if. */
byte x;

active proctype P() {
	x == 1;
end_a:	goto wait;
wait:	x == 2;
end_b:	skip;
end_c:	if :: x == 3 :: x == 4 fi
}

active proctype Q() { if :: x = 1 :: x = 1; x = 2 fi }
