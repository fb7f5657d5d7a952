/* Object and function macros, pasting, nesting, conditionals and line continuations. */
#define N 3
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define VAR(n) var_ ## n
#define BOTH(s, t) \
	s; \
	t
#define DOUBLE(x) (2 * (x))
#define GUARD x < N
#ifdef N
#if N > 2
#define STEP 1
#else
#define STEP 2
#endif
#endif
#ifndef STEP
#error no step
#endif
#undef UNKNOWN

byte VAR(one), VAR(two), x;

active [2] proctype P() {
	do
	:: GUARD -> x = x + STEP; var_one = MAX(x, VAR(two))
	:: else -> break
	od;
	BOTH(VAR(two) = DOUBLE(N - 1), x = DOUBLE(DOUBLE(STEP)))
#if defined(UNKNOWN) || N == 4
	; assert(false)
#endif
}
