/* A break in the escape of a loop that has a label leaves that loop, not the one around it. */
byte x;
active proctype P() {
  do
  :: x < 3 -> x++;
     L: do :: x < 2 -> x++ od unless { x == 2 -> break };
     x = 9
  :: x > 8 -> break
  od
}
