/* Sleep sets keep states, not cycles: the execution that sets g once and then only skips is lost. */
byte g;

active proctype P0() { do :: skip od }

active proctype P1() { do :: g = 1 - g od }

ltl p { !(<> [] (g == 1)) }
