/* Definitions, a type and an inline come from another file. */
#include "include_header.h"

Item it[SIZE];

active proctype P() { put(0, 3); put(1, 4) }
active proctype Q() { it[0].count = SIZE }
