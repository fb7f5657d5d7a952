/* active [n] makes n processes with numbers in a row, in the order of the text. */
byte order;

active [2] proctype A() { order = order * 2 + _pid }
active proctype B() { order = order + _pid }
active [3] proctype C() { order == 255 || _pid > 2; order++ }
