/* What a C compiler says of itself is not taken for undefined. */
//: refused
//: says __GNUC__
//: violated -D__GNUC__=12
//: refused -DVALUE
//: says __STDC_VERSION__
//: holds -DVALUE -D__STDC_VERSION__=199901L
#ifdef VALUE
#if __STDC_VERSION__ >= 199901L
#define N 1
#else
#define N 0
#endif
#else
#ifdef __GNUC__
#define N 0
#else
#define N 1
#endif
#endif
active proctype P() { assert(N) }
