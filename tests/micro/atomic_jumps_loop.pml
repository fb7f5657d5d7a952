/* A loop made of atomics that jump to one another without a step in between. */
byte x;

active [2] proctype P() {
a:	atomic { x < 4 -> x++; if :: x % 2 == 1 -> goto b :: x % 2 == 0 -> goto c fi };
b:	atomic { x++; goto c };
c:	atomic { x > 2 -> x = x - 3; if :: x == 0 -> goto done :: else -> goto a fi };
done:	x++
}
