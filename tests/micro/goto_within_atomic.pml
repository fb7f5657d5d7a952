/* Jumps forth and back inside one atomic store nothing. */
byte x, n;

active [2] proctype P() {
	atomic {
		n = 0;
again:		x++;
		n++;
		if
		:: n < 3 -> goto again
		:: n == 3 -> goto done
		fi;
		x = 100;
done:		x--
	};
	x--
}
