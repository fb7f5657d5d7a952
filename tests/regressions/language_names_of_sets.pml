// %e showed a value by a name of another mtype.
//: exit 0 simulate
//: says pear green apple red
mtype:fruit = { apple, pear };
mtype:color = { red, green };
mtype:color c = green;
active proctype A() { mtype:fruit f = pear; printf("%e %e %e %e\n", f, c, apple, red) }
