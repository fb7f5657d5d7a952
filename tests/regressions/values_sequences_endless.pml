/* A state inside of a sequence that comes back is the proof that it never ends. */
//: everywhere violated -DATOMIC
//: everywhere violated -DSTEP
byte n, way;

active proctype P() {
	way = 3;
#ifdef ATOMIC
	atomic {
		do
		:: n < 250 -> n++
		:: n == 250 -> n = way
		od
	}
#endif
#ifdef STEP
	d_step {
		do
		:: n < 250 -> n = n + 2
		:: else -> n = (n + way) % 256
		od
	}
#endif
}
