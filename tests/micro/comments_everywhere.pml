/* Comments of both kinds, between any two words. */
byte /* here */ x; // and here
/* over
   several lines */ active /**/ proctype P(/* no parameters */) { // a body
	x /* before */ = /* after */ 1 /* ; */ ; // ; x = 2
	if /* :: false */ :: x == 1 /**/ -> /***/ x = 3 // }
	fi /* "a string" */ ; printf("/* no comment */ // none\n")
}
