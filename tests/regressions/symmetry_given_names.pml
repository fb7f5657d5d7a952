// What processes are given depends on a choice, and with it who can change places with whom.
//: violated --reduce symmetry --property lamp
//: violated --reduce none --property lamp
byte lamp[2];
byte moved;
proctype Hand(byte mine, step) {
end: do
  :: lamp[mine] < 2 -> lamp[mine] = lamp[mine] + step; moved = 1 - moved
  od
}
init {
  atomic {
    if
    :: run Hand(0, 1); run Hand(1, 1)
    :: run Hand(1, 1); run Hand(0, 2)
    fi
  };
end: false
}
ltl lamp { [] !(lamp[0] == 2 && lamp[1] == 1 && moved == 0) }
