//! Automata do not become larger.

use spinor_ltl::{Acceptance, Automaton, Formula, Limits, parse, translate};

fn formula(text: &str) -> Formula {
    parse(text).expect("a formula").formula
}

fn automaton(formula: &Formula) -> Automaton {
    translate(formula, Limits::default()).expect("a small automaton")
}

/// States with generalised acceptance, with a mark on edges, with acceptance of states.
fn sizes(formula: &Formula) -> (usize, usize, usize) {
    let generalised = automaton(formula);
    let states = |acceptance| generalised.to_buchi(acceptance).expect("a small automaton").states.len();
    (generalised.states.len(), states(Acceptance::Transition), states(Acceptance::State))
}

#[test]
fn sizes_of_basic_formulas() {
    for (text, expected) in [
        ("true", (1, 1, 1)),
        ("false", (1, 1, 1)),
        ("[] p", (1, 1, 1)),
        ("<> p", (2, 2, 2)),
        ("[] <> p", (1, 1, 2)),
        ("<> [] p", (2, 2, 2)),
        ("p U q", (2, 2, 2)),
        ("[] (p -> <> q)", (2, 2, 2)),
        ("![] (p -> <> q)", (2, 2, 2)),
        ("[] (p -> (q U r))", (2, 2, 2)),
        ("[] <> p && [] <> q", (1, 2, 3)),
    ] {
        assert_eq!(sizes(&formula(text)), expected, "{text}");
    }
}

#[test]
fn the_sum_over_the_literature_does_not_grow() {
    let lines = include_str!("../patterns/literature.tsv").lines();
    let (mut generalised, mut states) = (0, 0);
    for text in lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').nth(1)) {
        let formula = formula(text);
        for formula in [formula.not(), formula] {
            let (small, _, buchi) = sizes(&formula);
            generalised += small;
            states += buchi;
        }
    }
    assert!(generalised <= 687 && states <= 734, "{generalised} and {states} states");
}

#[test]
fn what_grows_too_large_is_refused() {
    let all = |count: usize, part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(" && ");
    for text in [
        all(20, |i| format!("[] <> p{i}")),
        all(12, |i| format!("[] (p{i} -> <> q{i})")),
        all(20, |i| format!("(X p{i} || X q{i})")),
        format!("[] (p -> {} q)", "X ".repeat(30)),
        all(400, |i| format!("(p{} || X q{})", i % 60, i % 3)),
        all(200, |i| format!("[] ({} p)", "X ".repeat(i % 7 + 1))) + " && []<>p" + &" && p".repeat(600),
        (0..30).fold("p".to_string(), |inner, atom| format!("({inner} <-> [] <> p{atom})")),
    ] {
        let error = translate(&formula(&text), Limits::default()).expect_err("too large");
        assert!(error.to_string().contains("formula"), "{error}");
    }
}
