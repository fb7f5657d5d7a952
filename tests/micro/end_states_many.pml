/* Several end labels in one body, and a place beside them that is no valid end. */
chan q = [0] of { byte };
byte x;

active proctype Server() {
end1:	q?x;
end2:	if
	:: x == 1 -> q?x
	:: x == 2 -> q?x; x = 5
	fi;
	q?x;
end_last: false
}

active proctype Client() { if :: q!1 :: q!2 fi; if :: q!3 :: skip fi; if :: q!4 :: skip fi }
