// The same in the other order.
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
    :: run Step(1); run Step(2)
    :: run Step(1); run Step(1)
    fi
  };
end: false
}
