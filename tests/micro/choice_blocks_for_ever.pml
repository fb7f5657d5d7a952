/* A choice none of whose options can ever be taken is an invalid end state. */
byte x;

active proctype P() {
	if
	:: x == 5 -> x = 0
	:: x == 6 -> x = 1
	fi
}

active proctype Q() {
	if :: x = 5 :: x = 4 :: x = 6 fi
}
