/* The arguments of an inline are names and expressions, put in as text. */
byte a = 1, b = 2, arr[2];

inline swap(x, y) { byte tmp; tmp = x; x = y; y = tmp }
inline add(dst, v) { dst = dst + v }

active [2] proctype P() {
	swap(a, b);
	add(arr[a % 2], b - 1);
	atomic { swap(a, b) };
	d_step { add(a, arr[0]); add(b, arr[1]) }
}
