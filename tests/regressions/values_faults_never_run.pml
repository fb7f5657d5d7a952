/* Constant divisions by 0 and indexes outside of their arrays were refused, also in code that never runs. */
//: everywhere holds
//: everywhere violated -DRUN=1
//: violated -DRUN=2
//: says index 2
//: violated -DRUN=3
//: says division by zero
#ifndef RUN
#define RUN 0
#endif
#define SIZE 2
byte list[SIZE] = 1;
byte x;
bool b;

active proctype P() {
	b = (RUN == 1 && 8 % (SIZE - 2) == 0) || SIZE == 2 || list[SIZE] == 1;
	if
	:: RUN == 1 -> x = 8 / (SIZE - 2)
	:: RUN == 2 -> list[SIZE] = 1
	:: RUN == 3 -> x = (RUN == 3 -> 1 % 0 : 1)
	:: RUN == 0 -> x = list[SIZE - 1]
	fi
}
