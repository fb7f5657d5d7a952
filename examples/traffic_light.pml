/*
 * traffic_light.pml - the lights of a crossing, with a button for walkers.
 *
 * Cars have green until somebody presses the button. Then the lights go
 * over yellow to red, the walkers get green, and when there is nothing more
 * to do on the crossing, the cars get green again. Time is not modelled: a
 * `timeout` stands for "when nothing else can happen", which is when all who
 * may cross have crossed.
 *
 * What to expect: no errors. Cars and walkers are never on the crossing at
 * the same time, and nobody waits for ever: everyone gets home, and only the
 * controller is left, at a place that is marked as a good one to stop.
 *
 * Things to try: forget the yellow phase in which the crossing is cleared
 * (the line marked *), and see who is run over.
 */

#define CARS	2
#define WALKERS	2

mtype:light = { red, yellow, green };

mtype:light car_light = green, walk_light = red;
bool button;
byte cars_on, walkers_on;	/* who is on the crossing */
byte home;			/* who has got across */

active proctype Controller() {
end:	do
	:: button ->
		car_light = yellow;
		cars_on == 0;			/* (*) cleared? */
		car_light = red;
		atomic { walk_light = green; button = false };

		timeout;			/* all have crossed */
		walk_light = red;
		walkers_on == 0;
		car_light = green
	od
}

active [CARS] proctype Car() {
	/* a car may pass at green only */
	atomic { car_light == green -> cars_on++ };
	assert(walkers_on == 0);
	cars_on--;
	home++
}

active [WALKERS] proctype Walker() {
	do
	:: walk_light == red && !button -> button = true
	:: atomic { walk_light == green -> walkers_on++ };
		assert(cars_on == 0 && car_light == red);
		walkers_on--;
		home++;
		break
	od
}

active proctype Observer() {
	home == CARS + WALKERS;
	assert(cars_on == 0 && walkers_on == 0)
}
