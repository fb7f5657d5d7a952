/* Used by include_header.pml. */
#define SIZE 2
typedef Item { byte count; bit used };

inline put(k, n) {
	it[k].used = 1;
	it[k].count = it[k].count + n
}
