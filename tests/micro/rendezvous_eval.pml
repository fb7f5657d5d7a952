/* A rendezvous that is matched by value: eval, constants and variables mixed. */
chan c = [0] of { mtype, byte, byte };
mtype = { req, ack };
byte me = 1, x;

active proctype A() {
	c!req(0, 5);
	c!req(1, 6);
	c!ack(2, 7)
}

active proctype B() {
	byte v;
	c?req(eval(me - 1), v);
	x = v;
	c?req, eval(me), v;
	x = v;
	c?ack(v, eval(v))
}
