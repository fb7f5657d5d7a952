// One process waits for ever while another goes round: that is no deadlock, but nobody may say that no process waits.
//: holds
//: never waits for ever
//: says no deadlock
bool open;
byte turn;
active proctype Turn() { do :: turn = 1 - turn od }
active proctype Wait() { open -> skip }
