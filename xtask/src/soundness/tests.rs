//! Models that were hard to get right.

use super::{Options, examine};

/// Enough for all that is preserved, with all that the text tells.
const DRAWS: u64 = 30;

fn holds(text: &str) {
    let options = Options {
        draws: 15,
        systems: 0,
        seed: 0,
        selector: None,
        states: 10_000,
        index: None,
        processes: false,
        jobs: 1,
        searches: false,
        collect: None,
        combinations: None,
    };
    for draw in 0..DRAWS {
        let outcome = examine(text, &options, draw);
        let outcome = outcome.unwrap_or_else(|_| panic!("a small model that can be reduced: {text}"));
        assert!(outcome.is_ok(), "{:?}: {text}", outcome.err());
    }
}

/// A statement that is blocked may be waiting for another process.
#[test]
fn blocked_statements_count() {
    holds(
        "chan c = [2] of { bit };
         active proctype P() { do :: c!1 od }
         active proctype Q() { bit l; do :: skip -> break :: c?l od; false }",
    );
}

/// A deterministic process can enable a blocked alternative of another.
#[test]
fn deterministic_processes_are_not_left_out() {
    holds(
        "chan c = [1] of { bit };
         active proctype P() { bit l; do :: c?l od }
         active proctype Q() { c!1; do :: skip -> break :: c!0 od; false }",
    );
}

/// The order of `run` decides the pids, the end of a process frees its pid, and it changes `_nr_pr`.
#[test]
fn processes_come_and_go() {
    holds(
        "proctype A(byte x) { assert(!(x == 1 && _pid == 3)) }
         active proctype Q() { run A(2) }
         active proctype P() { run A(1) }",
    );
    holds(
        "proctype A() { assert(_pid != 2) }
         active proctype Q() { run A() }
         active proctype P() { byte z; z = 1 }",
    );
    holds(
        "byte g;
         active proctype Q() { g = _nr_pr; assert(g != 2) }
         active proctype P() { byte z; z = 1 }",
    );
}

/// A new process stands where another waits for it.
#[test]
fn new_processes_arrive() {
    holds(
        "chan c = [0] of { bit };
         proctype C() { c?_ }
         active proctype P() { skip; run C() }
         active proctype Q() { if :: c!1 :: else fi }",
    );
}

/// A rendezvous is a step of its sender, but what it changes may be in the hands of the receiver.
#[test]
fn receivers_are_visible() {
    holds(
        "byte g;
         chan c = [0] of { byte };
         active proctype P() { c?g; false }
         active proctype Q() { c!1 }
         active proctype R() { do :: skip od }",
    );
}

/// Who accepts a rendezvous goes on with its atomic sequence.
#[test]
fn receivers_go_on() {
    holds(
        "byte a;
         chan c = [0] of { byte };
         active proctype P() { byte l; l = a; false }
         active proctype Q() { atomic { c?_; a = (a + 1) % 3 } }
         active proctype R() { c!1; false }",
    );
}

/// `else` asks for what stands before it only.
#[test]
fn else_does_not_look_behind() {
    holds(
        "byte v;
         proctype P() { if :: if :: else fi -> v = 0 :: skip fi }
         active proctype Q() { v = 1 }
         init { run P() }",
    );
}

/// A channel ceases to be with its process.
#[test]
fn channels_end() {
    holds(
        "chan c = [1] of { chan };
         active proctype P() { chan x; c?x; x!1 }
         active proctype Q() { chan y = [1] of { byte }; c!y; skip }",
    );
}
