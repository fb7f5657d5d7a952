/* The escape is a choice. */
byte x, sig;

active proctype P() {
	{
		x = 1; x = 2; x = 3
	} unless {
		if
		:: sig == 1 -> x = 10
		:: sig == 2 -> x = 20; x = 21
		fi
	};
	x = 0
}

active proctype Q() { if :: sig = 1 :: sig = 2; sig = 1 :: sig = 3 fi }
