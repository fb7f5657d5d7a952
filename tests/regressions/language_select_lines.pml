// A selection over a range is spelled out only where it stands in one line.
//: states 13
init { byte i;
  select(i :
    0 .. 3)
}
