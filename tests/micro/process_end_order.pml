/* Processes end in the reverse order of their creation, whatever order they finish in. */
byte x;

active proctype First() { x++ }
active proctype Second() { x++; x++ }
active proctype Third() { skip; x++ }
