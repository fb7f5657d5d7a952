// Several processes find the same symmetries, and so the way to what one of them found.
//: violated --workers 2 --reduce symmetry
//: violated --workers 2
//: violated --reduce none
#define N 3
byte step[N];
byte side, ready;
proctype Side(byte mine) {
  do
  :: step[mine] < 2 -> step[mine]++; side = 1 - side
  :: step[mine] == 2 -> break
  od;
  ready++;
  assert(ready != N);
end: do :: side == 9 od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run Side(i) } } }
