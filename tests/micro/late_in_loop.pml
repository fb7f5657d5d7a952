/* A declaration inside a loop body: what it holds when the loop comes round again. */
byte g;

active proctype P() {
	do
	:: g < 3 ->
		byte a = 5;
		byte b;
		g++;
		a = a + g;
		b = b + 1;
		assert(b == 1 || b == g)
	:: g == 3 -> break
	od
}

active proctype Q() { skip }
