byte go;

active proctype Waiter() {
	do
	:: go == 3 -> go = 0
	:: end_inner:
		do
		:: go == 0 -> go == 2; go = 0
		od
	od
}
