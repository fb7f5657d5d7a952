/* The predefined variable for a process's own priority. */
byte x;

active proctype A() priority 3 { x = _priority; _priority = 1; x++; x = _priority }
active proctype B() priority 2 { x = x + 10; _priority = 5; x++ }
