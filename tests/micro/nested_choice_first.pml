/* A choice as the first statement of an option: its options count as options of the outer one. */
byte x;

active [2] proctype P() {
	do
	:: if
	   :: x == 0 -> x = 1
	   :: x == 1 -> x = 2
	   fi; x++
	:: { if :: x == 2 -> x = 3 :: x == 3 -> x = 5 fi }
	:: x > 4 -> break
	od
}
