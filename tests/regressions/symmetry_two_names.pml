// A process has two names, and which of them it was given once more matters.
//: violated
//: violated --reduce symmetry --symmetry segmented
//: violated --reduce symmetry --symmetry sorted
//: violated --reduce none
bit said;
byte turns;
proctype Twin(byte face, back, shown) {
end: do
  :: atomic { said == 0 -> said = 1 };
     turns++;
     if
     :: shown == back -> assert(turns == 0)
     :: shown == face
     fi
  od
}
init {
  atomic {
    if
    :: turns == 1 -> run Twin(5, 6, 5); run Twin(7, 8, 7)
    :: turns == 0 -> run Twin(5, 6, 5); run Twin(7, 8, 8)
    :: turns == 0 -> run Twin(5, 6, 6); run Twin(7, 8, 7)
    fi
  }
}
