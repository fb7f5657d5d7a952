/* An offer that nobody takes makes SPIN forget that another option of the escape was executable. */
chan c = [0] of { byte };
active proctype P() {
	{ skip } unless { if :: c!0 :: skip fi }
}
