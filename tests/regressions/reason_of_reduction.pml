// The theorem of the weak proviso was named where the strong one was used.
//: holds --proviso strong --reduce stubborn --json
//: never weak
//: says strong proviso
//: holds --reduce stubborn --json
//: says weak
byte left, right;
active proctype Left() { do :: left < 2 -> left++ :: left == 2 -> left = 0 od }
active proctype Right() { do :: right < 2 -> right++ :: right == 2 -> right = 0 od }
