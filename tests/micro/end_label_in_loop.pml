/* End labels on a do, on one of its options, and inside an atomic. */
chan q = [1] of { byte };
byte x;

active proctype P() {
	byte v;
end:	do
	:: q?v -> if :: v == 1 :: v == 2 -> x == 3 :: v == 3 -> end_in: x == 9 fi
	od
}

active proctype Q() { if :: q!1 :: q!2 :: q!3 fi; atomic { x = 1; end_at: x == 2; x = 3 } }
