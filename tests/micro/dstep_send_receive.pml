/* Sends, receives and polls on a channel inside d_steps. */
chan q = [3] of { byte, bit };
byte v, w;

active proctype P() {
	d_step { q!1,0; q!2,1 };
	d_step { q?[1,0] -> q?v,_; q!v,1 };
	w = len(q)
}

active proctype Q() {
	bit b;
	d_step { nempty(q) -> q?v,b; if :: q?[eval(v),_] -> v = 9 :: else fi };
	d_step { len(q) > 0 -> q?w(b); v = w + b }
}
