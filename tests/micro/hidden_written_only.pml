/* A hidden variable that is only written is no part of the state. */
hidden byte trash;
byte x;

active [2] proctype P() { trash = x; x++; trash = 5; trash = 6 }
