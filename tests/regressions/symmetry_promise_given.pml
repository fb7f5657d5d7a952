// A promise is made for all that processes may be given, whatever is looked at first.
//: refused
//: says is not symmetric as promised
//@ symmetric Step
byte far;
proctype Step(byte width) {
end: do :: far < width -> far++ od
}
init {
  atomic {
    if
    :: run Step(1); run Step(1)
    :: run Step(1); run Step(2)
    fi
  };
end: false
}
