// A step that passes an accept label leads to the same state as one that does not, where nobody asks for the label.
//: everywhere violated --property p
//: violated --property p --search ndfs
//: violated --property p --search ndfs --threads 3
//: violated --property p --fair
//: holds --property q
//: violated --progress --property progress
byte x;
active proctype A() {
  atomic { x = 1; accept: x = 2; x = 0 };
  do
  :: x == 0 -> x = 1
  :: x == 1 -> atomic { x = 3; x = 0 }
  od
}
ltl p { <> (x == 5) }
ltl q { [] (x < 5) }
