/* Channel tests inside larger expressions. */
chan q = [2] of { byte };
chan r = [1] of { byte };
byte x;

active proctype P() { if :: q!1 :: q!2 :: r!1 fi; if :: q!1 :: r!2 fi }

active proctype Q() {
	if
	:: (q?[1] && !(r?[2])) -> x = 1
	:: (q?[2] || r?[1]) -> x = 2
	fi;
	x = q?[1] + r?[2] * 2
}
