/* Choices of one option, and a choice whose options are only guards. */
byte x;

active [2] proctype P() {
	if :: x++ fi;
	if :: x == 2 :: x == 1 :: x > 0 fi;
	do :: x++; break od;
	if :: skip :: true :: 1 fi
}
