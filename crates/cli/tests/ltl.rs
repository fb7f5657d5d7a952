//! `spinor ltl` as a user meets it.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::process::{Command, Output};

fn ltl(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spinor")).arg("ltl").args(arguments).output().expect("the binary runs")
}

fn check(arguments: &[&str], expected: Expect) {
    let output = ltl(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    expected.assert_eq(&String::from_utf8_lossy(&output.stdout));
}

fn check_error(arguments: &[&str], expected: Expect) {
    let output = ltl(arguments);
    assert_eq!(output.status.code(), Some(2));
    expected.assert_eq(&String::from_utf8_lossy(&output.stderr));
}

#[test]
fn never_claims() {
    check(
        &["[] (p -> <> q)"],
        expect![[r#"
        never {    /* [] (p -> <> q) */
        accept_init:
        	do
        	:: (!(p) || (q)) -> goto accept_init
        	:: ((p) && !(q)) -> goto T0_S1
        	od;
        T0_S1:
        	do
        	:: ((q)) -> goto accept_init
        	:: (!(q)) -> goto T0_S1
        	od;
        }
    "#]],
    );
    check(
        &["--negate", "[] ((x > 3) -> <> (P@done))"],
        expect![[r#"
        never {    /* !([] ((x > 3) -> <> (P@done))) */
        T0_init:
        	do
        	:: (true) -> goto T0_init
        	:: ((x > 3) && !(P@done)) -> goto accept_S1
        	od;
        accept_S1:
        	do
        	:: (!(P@done)) -> goto accept_S1
        	od;
        }
    "#]],
    );
    check(
        &["[] p"],
        expect![[r#"
        never {    /* [] p */
        accept_init:
        	do
        	:: ((p)) -> goto accept_init
        	od;
        }
    "#]],
    );
    check(
        &["p U q"],
        expect![[r#"
        never {    /* p U q */
        T0_init:
        	do
        	:: ((p) && !(q)) -> goto T0_init
        	:: ((q)) -> goto accept_all
        	od;
        accept_all:
        	skip
        }
    "#]],
    );
    check(
        &["false"],
        expect![[r#"
        never {    /* false */
        T0_init:
        	do
        	:: (false) -> goto T0_init
        	od;
        }
    "#]],
    );
}

#[test]
fn graphviz() {
    check(
        &["--dot", "[] <> p"],
        expect![[r#"
        digraph automaton {
          rankdir=LR;
          label="[] <> p";
          start [shape=point];
          start -> 0;
          0 [shape=doublecircle];
          0 -> 0 [label="p"];
          0 -> 1 [label="!p"];
          1 [shape=circle];
          1 -> 0 [label="p"];
          1 -> 1 [label="!p"];
        }
    "#]],
    );
    check(
        &["--dot", "--acceptance", "generalised", "[] <> p && [] <> q"],
        expect![[r#"
        digraph automaton {
          rankdir=LR;
          label="[] <> p && [] <> q";
          start [shape=point];
          start -> 0;
          0 [shape=circle];
          0 -> 0 [label="!p && !q"];
          0 -> 0 [label="p && !q {0}"];
          0 -> 0 [label="!p && q {1}"];
          0 -> 0 [label="p && q {0,1}"];
        }
    "#]],
    );
}

#[test]
fn hanoi_omega_automata() {
    check(
        &["--hoa", "[] <> p"],
        expect![[r#"
        HOA: v1
        name: "[] <> p"
        States: 2
        Start: 0
        AP: 1 "p"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic
        --BODY--
        State: 0 {0}
        [0] 0
        [!0] 1
        State: 1
        [0] 0
        [!0] 1
        --END--
    "#]],
    );
    check(
        &["--hoa", "--acceptance", "transition", "[] <> p"],
        expect![[r#"
        HOA: v1
        name: "[] <> p"
        States: 1
        Start: 0
        AP: 1 "p"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels trans-acc deterministic
        --BODY--
        State: 0
        [!0] 0
        [0] 0 {0}
        --END--
    "#]],
    );
}

#[test]
fn sizes() {
    let output = ltl(&["--json", "X p"]);
    let facts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(facts["strength"], "terminal");
    assert_eq!(facts["stutter"], "sensitive");
    let output = ltl(&["--json", "[] <> p"]);
    let facts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&facts["generalised"]["states"], &facts["state"]["states"]), (&1.into(), &2.into()));
    assert_eq!((&facts["strength"], &facts["stutter"]), (&"general".into(), &"invariant".into()));
    assert_eq!(facts["atoms"], serde_json::json!(["p"]));
}

#[test]
fn errors_are_marked_in_the_formula() {
    check_error(
        &["[] (p -> )"],
        expect![[r#"
        error: an operand is missing before ')'
         --> formula:1:10
          |
        1 | [] (p -> )
          |          ^
    "#]],
    );
    check_error(
        &["[] x > 3"],
        expect![[r#"
        error: '>' binds less than the operator before it
         --> formula:1:6
          |
        1 | [] x > 3
          |      ^
          |
        help: put the expression in parentheses, as in [] (x > 3)
    "#]],
    );
}

#[test]
fn what_is_too_large_is_refused() {
    let formula = (0..20).map(|atom| format!("[]<>p{atom}")).collect::<Vec<_>>().join(" && ");
    let output = ltl(&[&formula]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error: the formula says too many things"));
}

#[test]
fn options_that_do_nothing_are_refused() {
    assert_eq!(ltl(&["--acceptance", "state", "p"]).status.code(), Some(2));
    assert_eq!(ltl(&["--dot", "--hoa", "p"]).status.code(), Some(2));
}
