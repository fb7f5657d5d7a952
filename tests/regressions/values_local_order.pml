/* Local variables were given their initial values by type: `small` began before `wide` had its value. */
//: everywhere holds
active proctype P() {
	int wide = 4;
	byte small = wide + 1;
	short after = small;
	bit odd = after;
	assert(small == 5 && after == 5 && odd == 1)
}
