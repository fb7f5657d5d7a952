/* A condition that mentions the process's own number. */
byte turn;

active [3] proctype P() provided (turn == _pid || turn > 2) {
	turn = (_pid + 1) % 3;
	turn = 3
}
