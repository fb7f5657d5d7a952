/* The bits of an array inside of a structure kept eight bits in a message. */
//: everywhere holds
typedef Flags { bit one[2]; bool two[1] };
typedef Only { bit one[1] };
Flags sent, got;
Only alone, back;
chan c = [1] of { Flags };
chan d = [0] of { Flags, byte };
chan e = [1] of { Only };

active proctype A() {
	byte tag;
	sent.one[0] = 3;
	sent.one[1] = 4;
	sent.two[0] = 255;
	c!sent;
	c?got;
	assert(got.one[0] == 1 && got.one[1] == 0 && got.two[0] == 1);
	d?got, tag;
	assert(got.one[0] == 1 && got.two[0] == 0 && tag == 5);
	/* The only field of a message is a byte, whatever it is said to be. */
	alone.one[0] = 6;
	e!alone;
	e?back;
	assert(back.one[0] == 6)
}

active proctype B() {
	Flags own;
	own.one[0] = 7;
	own.two[0] = 2;
	d!own, 5
}
