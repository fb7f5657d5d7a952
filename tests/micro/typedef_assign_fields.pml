/* Fields of records are changed one by one by two processes. */
typedef Acc { short bal; bit locked };
Acc acc[2];

proctype Move(byte from, to) {
	atomic { !acc[from].locked -> acc[from].locked = 1 };
	acc[from].bal--;
	atomic { !acc[to].locked -> acc[to].locked = 1 };
	acc[to].bal++;
	acc[from].locked = 0;
	acc[to].locked = 0
}

init { atomic { run Move(0, 1); run Move(1, 0) } }
