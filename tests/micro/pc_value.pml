/* pc_value gives the place where a process stands. */
byte x;

active proctype P() { x = 1; x = 2; x = 3; x == 9 }

active proctype Q() {
	byte p;
	p = pc_value(0);
	pc_value(0) > p -> x = 5;
	if
	:: pc_value(0) == pc_value(_pid) -> x = 9
	:: pc_value(0) > pc_value(1) -> x = 9
	:: else -> x = 9
	fi
}
