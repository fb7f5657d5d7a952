/* show and local in front of variables change nothing. */
show byte a;
byte out;

active proctype P() {
	show byte v = 1;
	local byte w;
	w = v; v = 2; a = w; out = a
}

active proctype Q() { show short s; s = -1; out = 3 }
