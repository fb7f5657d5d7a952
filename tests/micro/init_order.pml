/* Global variables take their initial values in the order of the text. */
byte a = 3;
byte b = a + 1;
byte c[2] = b;
int d = -a;
chan q = [1] of { byte };
byte e = 5;
byte f = e + d;

init { assert(a == 3); a = b; assert(b == 4); b = c[1]; d = d + e }
active proctype P() { c[0] = a }
