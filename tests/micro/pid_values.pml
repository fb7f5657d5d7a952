/* _pid and variables of type pid. */
pid who = 7;
byte order;

active [2] proctype P() { pid me = _pid; who = me + 1; order = order * 3 + _pid }
init { who = _pid; who != _pid -> order = order + who }
