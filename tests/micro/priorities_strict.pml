/* Only the processes of the highest priority that can move do move. */
byte x;

active proctype Low() priority 2 { x++; x++ }
active [2] proctype High() priority 7 { x = x + 10; x = x + 10 }
active proctype Mid() priority 5 { x = x * 2 }
