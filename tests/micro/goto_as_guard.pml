/* A jump that is itself the guard of an option is a step. */
byte x;

active [2] proctype P() {
	if
	:: goto left
	:: x++; goto right
	:: x == 2 -> goto left
	fi;
left:	x++;
	goto end;
right:	x--;
end:	skip
}
