/* A select whose bounds are expressions. */
byte lo = 1, hi = 3, x;

active proctype P() {
	select(x : lo..hi);
	lo = x;
	select(x : lo + 1..hi * 2 - 1);
	hi = x
}

active proctype Q() { hi = 4 }
