/* A record field, a label, a macro argument and a variable share a name. */
#define INC(val) val = val + 1
typedef R { byte val; byte next };
R r;
byte next;

active [2] proctype P() {
next_:	r.val = next;
	INC(r.next);
	next = r.next;
	if :: next == 1 -> goto next_ :: next != 1 fi
}
