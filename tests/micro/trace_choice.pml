/* Branches, labels and jumps in a trace. */
chan q = [1] of { bool, byte };

active proctype P() { byte n; do :: q!0,n :: q!1,n; n = 1 - n od }
active proctype Q() { bool m; byte v; do :: q?m,v od }

trace {
again:	if
	:: q!0,0; goto again
	:: q!1,0
	fi;
	do
	:: q!0,1
	:: q!1,1; goto again
	od
}
