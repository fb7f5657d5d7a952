/* Whether a process may move can be at fault, with no move to show: the replay of the other violation never ended. */
//: violated --keep-going --max-time 20s
//: says holds no channel
//: violated --keep-going --max-time 20s --search bfs
//: violated --keep-going --max-time 20s --search dfs --reduce none
chan none;
byte x;

active proctype Waits() priority 5 {
	none?x
}

active proctype Other() {
	x = 1;
	x = 2
}
