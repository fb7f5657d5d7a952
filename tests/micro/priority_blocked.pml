/* While the process of high priority waits, the others run. */
byte x;

active proctype High() priority 9 { x == 2 -> x = 10; x == 12 -> x = 20 }
active proctype Low() priority 1 { x++; x++; x++; x++ }
active proctype Low2() priority 1 { x == 11 || x == 12; skip }
