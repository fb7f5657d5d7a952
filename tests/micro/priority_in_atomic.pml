/* An atomic of low priority is interrupted as soon as one of high priority can move. */
byte x;
bool go;

active proctype Low() priority 1 { atomic { x = 1; go = 1; x = 2; x = 3 }; x++ }
active proctype High() priority 5 { go -> x = x + 10; go = 0; !go -> x++ }
