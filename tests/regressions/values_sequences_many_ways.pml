/* An atomic sequence with more ways than can be kept took all memory, and as long as it liked. */
//: undecided --max-memory 100M --max-time 8s
//: undecided --max-memory 100M --max-time 8s --engine interpret
//: undecided --max-memory 100M --max-time 8s --engine native --reduce none --search dfs
int a;

init {
	byte k;
	atomic {
		do
		:: k < 26 ->
			k++;
			if
			:: a = a * 2
			:: a = a * 2 + 1
			fi
		:: else -> break
		od;
		k = 0
	}
}
