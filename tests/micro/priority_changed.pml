/* A process changes its own priority and that of another. */
byte x;

active proctype A() priority 4 {
	x = 1;
	set_priority(_pid, 1);
	x = 2;
	set_priority(1, 1);
	x = 3
}

active proctype B() priority 2 { x = x + 10; x = get_priority(0); x = x + 10 }
