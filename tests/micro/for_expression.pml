/* A for with expressions as bounds that change while it runs. */
byte n = 2, k, sum;

active proctype P() {
	byte i;
	for (i : k + 1 .. n * 2 - 1) {
		sum = sum + i;
		if :: sum == 3 -> n = 1 :: sum != 3 fi
	}
}

active proctype Q() { n = 3 }
