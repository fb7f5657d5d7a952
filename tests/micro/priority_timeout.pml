/* A timeout of high priority waits until those of low priority are stuck, too. */
byte x;

active proctype High() priority 8 { timeout -> x = x + 10; x = x + 10 }
active proctype Low() priority 2 { x++; x++; x > 10 -> x++ }
