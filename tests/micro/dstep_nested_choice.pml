/* Choices in choices, loops in loops, breaks and jumps inside a d_step. */
byte i, j, sum;

active [2] proctype P() {
	d_step {
		i = 0;
		do
		:: i < 3 ->
			j = 0;
			do
			:: j < i -> j++; sum++
			:: else -> break
			od;
			if
			:: sum > 4 -> goto filled
			:: else -> i++
			fi
		:: i == 3 -> break
		od;
filled:	i = 0; j = 0
	};
	sum--
}
