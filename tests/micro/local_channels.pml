/* Every process has channels of its own. */
byte sum;

active [2] proctype P() {
	chan c = [2] of { byte };
	chan d = [1] of { byte, byte };
	byte v, w;
	c!1; c!2;
	c?v;
	d!v,5;
	d?v,w;
	sum = sum + v + w
}
