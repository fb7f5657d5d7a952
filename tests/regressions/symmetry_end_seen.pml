// When a process can end depends on those that are younger, and these change places with one that is older.
//: violated
//: violated --reduce symmetry --symmetry segmented
//: violated --reduce none
bit done;
proctype Runner() { end: atomic { done == 0 -> done = 1 } }
proctype Flag() { byte up = 1; skip }
active proctype Judge() {
end: Flag[3]:up == 1;
end_later: Flag[3]:up == 0;
  assert(false)
}
init { atomic { run Runner(); run Flag(); run Runner() } }
