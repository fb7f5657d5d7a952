/* A message that is offered is in its channel for those who are asked to take it. */
chan c = [0] of { byte };
byte a[2];

active proctype P() { c!1; c!5; c!2 }
active proctype Q() { c?eval(len(c)); c?a[len(c)]; c?eval(1 + len(c)) }
