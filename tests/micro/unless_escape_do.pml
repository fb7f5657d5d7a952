/* The escape is a loop; its break leaves the whole unless. */
byte x, sig;

active proctype P() {
	{
		x = 1; x = 2; x = 3
	} unless {
		do
		:: sig == 1 -> sig = 2; x = 10
		:: sig == 2 -> break
		od
	};
	x = 0
}

active proctype Q() { if :: sig = 1 :: sig = 2 fi }
