/* A divisor that takes many values on both sides of 0 was called harmless: nobody looked at the division. */
//: everywhere violated
//: violated --search dfs --reduce ample
//: violated --search dfs --reduce stubborn
//: violated --search bfs --reduce overman
active proctype Count() {
	short by = -60, all;
	do
	:: by < 60 -> by = by + 1
	:: all = 100 % (by - 1)
	od
}

active proctype Other() {
	bit turn;
	do
	:: turn = 1 - turn
	od
}
