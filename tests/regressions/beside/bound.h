#define bound 2
