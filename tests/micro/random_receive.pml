/* A random receive takes the first message that matches, wherever it stands. */
chan q = [4] of { byte, byte };
byte x;

active proctype P() { q!1,10; q!2,20; q!1,11; q!3,30 }

active proctype Q() {
	byte v;
	q??2,v; x = v;
	q??3,v; x = v;
	q??1,v; x = v;
	q??eval(x - 9),v
}
