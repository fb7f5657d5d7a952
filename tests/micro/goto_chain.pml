/* Jumps to jumps: none of them is a step, whatever the length of the chain. */
byte x;

active [2] proctype P() {
	x++;
	goto a;
c:	goto d;
b:	goto c;
a:	goto b;
d:	x++;
	goto e;
e:	x--
}
