#define bound 9
