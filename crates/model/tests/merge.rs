//! Which locations are passed.

use spinor_model::ranges::Ranges;
use spinor_model::{LocationId, Merge, ProctypeId};
use spinor_syntax::diagnostic::has_errors;

struct NoFiles;

impl spinor_syntax::Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

/// The first statements of the locations of the first proctype that are passed.
fn passed(text: &str) -> Vec<String> {
    let (model, diagnostics) = spinor_model::compile("test", text, &[], &NoFiles);
    assert!(!has_errors(&diagnostics), "{diagnostics:?}");
    let merge = Merge::new(&model, &Ranges::new(&model));
    let proctype = &model.proctypes[0];
    let ids = (0..proctype.locations.len()).map(|id| LocationId(id as u16));
    let passed = ids.filter(|&id| merge.passes(ProctypeId(0), id));
    passed.map(|id| proctype.statement(proctype.location(id).edges[0].statement).text.to_string()).collect()
}

/// A body with local variables `x` and `y`, a global `g` that another process reads, and other processes.
fn body(text: &str, others: &str) -> Vec<String> {
    let reader = "active proctype Reads() { g == 1 }";
    passed(&format!(
        "byte g; chan c = [0] of {{ byte }}; active proctype P() {{ byte x, y; {text} }} {reader} {others}"
    ))
}

#[test]
fn a_global_variable_that_nobody_else_knows_of() {
    let own = |others: &str| passed(&format!("byte g; active proctype P() {{ byte x; x = 1; g = x; x = g }} {others}"));
    for others in ["", "active proctype Q() { skip }"] {
        assert_eq!(own(others), ["x = 1", "g = x", "x = g"], "{others}");
    }
    for others in ["active proctype Q() { g == 1 }", "never { g == 1 }", "ltl { [] (g == 0) }", "init { run P() }"] {
        assert_eq!(own(others), ["x = 1"], "{others}");
    }
    assert_eq!(passed("byte g; active [2] proctype P() { byte x; x = 1; g = x; x = g }"), ["x = 1"]);
}

#[test]
fn one_of_two_contraries_can_always_be_done() {
    assert_eq!(body("g = 1; if :: x == 1 -> g = 1 :: x != 1 fi; g = 2", ""), ["((x==1))"]);
    assert_eq!(body("g = 1; if :: !(x == y) :: x == y -> g = 1 fi; g = 2", ""), ["(!((x==y)))"]);
    assert_eq!(body("g = 1; if :: d_step { x < y; x++ } :: x >= y -> g = 1 fi; g = 2", ""), ["D_STEP"]);
    assert!(body("g = 1; if :: x < y -> g = 1 :: x > y fi; g = 2", "").is_empty());
}

#[test]
fn what_is_local_and_can_always_be_done() {
    assert_eq!(
        body("g = 1; x = 1; printf(\"a\"); assert(x == 1); y = g; x = 2", ""),
        ["x = 1", "printf('a')", "assert((x==1))", "x = 2"]
    );
    assert_eq!(body("g = 1; if :: x == 1 -> y = 1 :: else fi; g = 2", ""), ["((x==1))", "y = 1"]);
    assert!(body("g = 1; if :: x == 1 -> g = 1 :: x == 2 fi; g = 2", "").is_empty());
}

#[test]
fn others_get_their_turn_on_each_cycle() {
    assert_eq!(body("g = 1; do :: x < 3 -> x++; y = x :: else -> break od; g = 2", ""), ["x = (x+1)", "y = x"]);
}

#[test]
fn not_what_others_look_at() {
    assert_eq!(body("g = 1; x = 1; y = 1; g = 2", "active proctype Q() { P:x == 1 }"), ["y = 1"]);
    // Neither the location before the label nor its own.
    let watched = "active proctype Q() { P@here }";
    assert_eq!(body("g = 1; x = 1; x = 2; here: x = 3; x = 4; g = 2", watched), ["x = 1", "x = 4"]);
    assert_eq!(body("g = 1; x = 1; x = 2; progress: x = 3; x = 4; g = 2", ""), ["x = 1", "x = 4"]);
    assert!(body("g = 1; x = 1; x = 2; g = 2", "active proctype Q() { enabled(0) }").is_empty());
    assert!(body("g = 1; x = 1; x = 2; g = 2", "active proctype Q() { _last == 1 }").is_empty());
    assert_eq!(body("g = 1; x = 1; y = 1; g = 2", "ltl { [] (P:x == 0) }"), ["y = 1"]);
}

#[test]
fn not_the_beginning_of_an_atomic_sequence() {
    assert!(body("g = 1; atomic { x = 1; g = 2 }", "").is_empty());
}

/// Whether the send was possible decides what else is: coming to the receive must not be hurried.
#[test]
fn not_on_the_way_to_a_delicate_rendezvous() {
    let text = "g = 1; x = 1; x = 2; c ? y; g = y";
    assert_eq!(body(text, "active proctype Q() { c ! 1 }"), ["x = 1", "x = 2"]);
    for sender in ["if :: c ! 1 :: else fi", "atomic { g = 1; c ! 1 }", "{ g = 1 } unless { c ! 1 }"] {
        assert_eq!(body(text, &format!("active proctype Q() {{ {sender} }}")), ["x = 1"], "{sender}");
    }
}

#[test]
fn not_more_ways_than_a_few() {
    let choice = "if :: x = 1 :: x = 2 :: x = 3 fi;".repeat(4);
    // The last one has 3 ways and the one before it 9; at the second there would be 27.
    assert_eq!(body(&format!("g = 1; {choice} g = 2"), "").len(), 3);
}
