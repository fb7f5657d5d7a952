/* true, false and skip as expressions and values. */
bool b = true;
byte x;

active proctype P() {
	x = true + true;
	b = false;
	if :: false -> x = 9 :: true -> x = 4 fi;
	(true && !false);
	b = x
}

active proctype Q() { b -> x = 7 }
