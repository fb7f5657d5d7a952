/* The else with which a d_step begins waits for its siblings; it stays where it stands. */
byte x;

active proctype P() {
  do
  :: d_step { x < 3 -> x++ }
  :: d_step { else -> x = 7; x = 8 }; break
  od;
  if
  :: x == 7
  :: atomic { else -> x = 1 }
  fi
}
active proctype Q() { if :: d_step { else -> x = 9 } :: x == 8 fi }
