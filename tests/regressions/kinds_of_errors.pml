// With many errors of one kind none of another was shown, least of all with several processes.
//: violated --keep-going --reduce none
//: says deadlock:
//: violated --keep-going --reduce none --search dfs
//: says deadlock:
//: violated --keep-going --reduce none --workers 2
//: says deadlock:
//: says division by zero
//: violated --keep-going --reduce none --workers 2 --search dfs
//: says deadlock:
byte first, second, third;
active proctype First() { do :: first < 12 -> first++; assert(second != 3) :: first == 12 -> break od; 1 / (third - 11); third == 9 }
active proctype Second() { do :: second < 12 -> second++; assert(first < 3) :: second == 12 -> break od; }
active proctype Third() { do :: third < 12 -> third++ :: third == 12 -> break od; third == 1 }
