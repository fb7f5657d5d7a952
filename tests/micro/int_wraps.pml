/* An int runs over its ends. */
int i = 2147483646;

active proctype P() { i++; i++; assert(i < 0); i--; i = i * 2; assert(i == -2) }
active proctype Q() { skip }
