/* A for over a range, upwards, once, and not at all. */
byte i, sum, one = 1;

active proctype P() {
	for (i : 1..3) { sum = sum + i }
	for (i : one..1) { sum++ }
	for (i : 4..one) { sum = 100 }
	assert(i == 4)
}
