// With fairness a step that goes first may be what another process waits for.
//: violated --fair --no-end-states --property reached
//: violated --fair --no-end-states --property reached --reduce none
chan hand = [0] of { bit };
bit open = 1;
active proctype Loop() {
  do
  :: skip;
     if
     :: open == 1
     :: hand?_; break
     fi
  od
}
active proctype Turn() { do :: open = 0; open = 1 od }
active proctype Leave() {
  do
  :: hand!0; break
  :: open == 1; break
  od;
there: skip
}
ltl reached { <> Leave@there }
