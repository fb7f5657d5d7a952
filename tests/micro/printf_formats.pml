/* Every format of printf, and printm: steps without effect. */
mtype = { apple, pear };
mtype m = pear;
byte x = 65;
short s = -7;

active proctype P() {
	printf("plain\n");
	printf("%d %u %x %o %c %e %%\n", s, x, x, x, x, m);
	printf("a \"quoted\" word\t, %d and %d\n", x + 1, (x > 3 -> 1 : 0));
	printm(m);
	printm(apple);
	printf("MSC: %e\n", apple)
}

active proctype Q() { x++ }
