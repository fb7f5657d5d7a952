//! Reductions as a user meets them: what they preserve, and what is refused.

mod common;

use common::{BINARY, Scratch, code, json, spinor, stderr, stdout};
use std::process::Command;

/// A division by zero that is never reached if the other process goes round for ever.
const FAULT: &str = "byte x;\n\
    active proctype Fails() { x = 1; x = 1 / (x - 1) }\n\
    active proctype Loops() { byte i; do :: i = 1 - i od }\n";

#[test]
fn a_fault_is_found_whatever_else_is_not_checked() {
    let scratch = Scratch::new("fault");
    let model = scratch.file("m.pml", FAULT);
    for reduce in ["none", "auto", "local", "ample", "overman", "stubborn", "stubborn=deletion", "merge+dead"] {
        let report = json(&spinor(&["check", "--json", "--no-trail", "--no-assertions", "--reduce", reduce], &model));
        assert_eq!((&report["verdict"], &report["violations"][0]["kind"]), (&"violated".into(), &"fault".into()));
    }
}

#[test]
fn who_preserves_deadlocks_alone_says_nothing_of_the_rest() {
    let scratch = Scratch::new("deadlocks");
    let model = scratch.file("m.pml", FAULT);
    let output = spinor(&["check", "--preserve", "deadlock", "--reduce", "ample"], &model);
    let text = stdout(&output);
    assert!(
        text.contains("holds: no deadlock (invalid end state) is reached; assertions and faults were not checked"),
        "{text}"
    );
    assert!(text.contains("preserves deadlocks\n"), "{text}");
    assert!(!text.contains("never executed"), "{text}");
}

/// Which statements are executed is known only where it is preserved.
#[test]
fn executed_statements_are_preserved_on_demand() {
    let scratch = Scratch::new("statements");
    let model = "byte x;\n\
        active proctype Counts() { byte i; do :: i = 1 - i od }\n\
        active proctype Ends() { x = 1; x = 2; (x == 3) -> x = 4 }\n";
    let model = scratch.file("m.pml", model);
    let lines = |options: &[&str]| {
        let arguments = [&["check", "--json", "--no-end-states", "--reduce", "ample"], options].concat();
        let report = json(&spinor(&arguments, &model));
        let lines: Vec<u64> =
            report["unreached"].as_array().expect("a list").iter().filter_map(|it| it["line"].as_u64()).collect();
        (lines.len(), report["unreached_exact"].as_bool().expect("a flag"))
    };
    assert!(lines(&["--preserve", "statements"]).1);
    assert!(!lines(&["--preserve", "assertions"]).1);
    assert_eq!(lines(&["--preserve", "statements"]).0, 2, "the last line of Ends, and the end of Counts");
}

/// The offer on `r` is looked at by Q, whose index is at fault, with or without it.
#[test]
fn an_offer_whose_receiver_is_at_fault_is_not_executed() {
    let scratch = Scratch::new("offer");
    let model = "chan r = [0] of { byte }; chan c[2] = [1] of { byte };\n\
        active proctype P() { r!1 }\n\
        active proctype Q() { byte i = 2; c[i]?i }\n";
    let model = scratch.file("m.pml", model);
    for options in [&["none"][..], &["stubborn", "--preserve", "statements"], &["none", "--engine", "interpret"]] {
        let output = spinor(&[&["check", "--keep-going", "--reduce"], options].concat(), &model);
        let text = stdout(&output);
        assert!(text.contains("never executed") && text.contains("(P) r!1"), "{options:?}: {text}");
    }
}

/// To look at a message of a rendezvous is a fault, so who will do so must not be put off for ever.
#[test]
fn a_process_that_will_be_at_fault_is_not_put_off() {
    let scratch = Scratch::new("looks");
    let model = "chan q = [0] of { byte };\n\
        active proctype Loops() { do :: skip; skip od }\n\
        active proctype Looks() { byte x; skip; q?<x> }\n";
    let model = scratch.file("m.pml", model);
    for selector in ["none", "local", "ample", "overman", "stubborn", "stubborn=deletion", "auto"] {
        for order in ["bfs", "dfs"] {
            let report = json(&spinor(&["check", "--json", "--reduce", selector, "--search", order], &model));
            assert_eq!(report["verdict"], "violated", "{selector} {order}");
        }
    }
}

/// Two steps that change what is seen keep their order only on demand.
#[test]
fn joint_values_are_preserved_on_demand() {
    let scratch = Scratch::new("joint");
    let model = "byte g, h;\nactive proctype P() { g = 2; false }\nactive proctype Q() { h = 2; false }\n";
    let model = scratch.file("m.pml", model);
    let check = |options: &[&str]| {
        let arguments = [&["check", "--json", "--no-end-states", "--reduce"], options].concat();
        json(&spinor(&arguments, &model))
    };
    let stored = |options: &[&str]| check(options)["states"]["stored"].as_u64();
    assert_eq!(stored(&["none"]), Some(4));
    for selector in ["ample", "stubborn", "stubborn=deletion", "overman"] {
        assert_eq!(stored(&[selector, "--preserve", "statements"]), Some(3), "{selector}");
        assert_eq!(stored(&[selector, "--preserve", "invariants"]), Some(4), "{selector}");
        assert_eq!(stored(&[selector, "--preserve", "ltl"]), Some(4), "{selector}");
    }
    let report = check(&["auto", "--preserve", "ltl"]);
    assert_eq!((&report["reduction"]["parts"], &report["unreached_exact"]), (&"stubborn".into(), &true.into()));
    assert_eq!(report["reduction"]["proviso"], "strong");
}

/// With several stacks a set is enough if it leads to a state that is stored for the first time.
#[test]
fn several_stacks_are_reduced() {
    let scratch = Scratch::new("stacks");
    let fault = scratch.file("m.pml", FAULT);
    let locals = "active [4] proctype P() { byte i; do :: i < 6 -> i++ :: else -> break od; assert(i == 6) }\n";
    let locals = scratch.file("l.pml", locals);
    let options = ["check", "--json", "--no-trail", "--search", "dfs", "--threads", "2", "--reduce"];
    for reduce in ["auto", "local", "ample", "overman", "stubborn", "stubborn=deletion"] {
        let check = |model| json(&spinor(&[&options[..], &[reduce]].concat(), model));
        assert_eq!(check(&fault)["verdict"], "violated", "{reduce}");
        let report = check(&locals);
        assert_eq!(report["verdict"], "holds", "{reduce}");
        assert!(report["states"]["stored"].as_u64() < Some(1_000), "{reduce}: {}", report["states"]);
    }
}

#[test]
fn each_part_has_its_theorem() {
    let scratch = Scratch::new("theorems");
    let model = scratch.file("m.pml", "active [2] proctype P() { byte x; x = 1; x = 2; assert(x == 2) }\n");
    let because = |reduce: &str| {
        let report = json(&spinor(&["check", "--json", "--search", "dfs", "--reduce", reduce], &model));
        report["reduction"]["because"].as_str().unwrap_or_default().to_string()
    };
    assert_eq!(because("none"), "");
    assert!(because("merge").contains("Kurshan") && !because("merge").contains("proviso"), "{}", because("merge"));
    assert!(because("dead").contains("Bozga"), "{}", because("dead"));
    let both = because("ample+sleep");
    assert!(both.contains("weak proviso") && both.contains("sleep sets"), "{both}");
}

#[test]
fn who_is_forgotten_is_left_to_the_reduction_unless_it_is_said() {
    let scratch = Scratch::new("cache-policies");
    let model = scratch.file("m.pml", FAULT);
    let cases = [
        ("none", "cache=99", "random"),
        ("sleep", "cache=99", "smallest-subtree"),
        ("sleep", "cache=99,typed", "typed"),
    ];
    for (reduce, store, policy) in cases {
        let options = ["check", "--search", "dfs", "--reduce", reduce, "--store", store, "--json"];
        let output = spinor(&options, &model);
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(report.contains(&format!("\"replacement\":\"{policy}\"")), "{reduce} {store}: {report}");
    }
}

#[test]
fn combinations_without_a_meaning_are_refused() {
    let scratch = Scratch::new("refused-reductions");
    let plain = scratch.file("m.pml", FAULT);
    let priorities = scratch.file("p.pml", "active [2] proctype P() priority 2 { skip }\n");
    let asks = scratch.file("e.pml", "active [2] proctype P() { enabled(0) }\n");
    let cases: [(_, &[&str], &str); 15] = [
        (&plain, &["--fair"], "--fair is about infinite executions"),
        (&plain, &["--search", "ndfs"], "--search ndfs is about infinite executions"),
        (&plain, &["--reduce", "none", "--preserve", "deadlock"], "`none` loses nothing"),
        (&plain, &["--reduce", "merge+dead", "--proviso", "strong"], "`merge+dead` loses nothing"),
        (&plain, &["--reduce", "two-phase", "--search", "dfs", "--proviso", "weak"], "`two-phase` loses nothing"),
        (&plain, &["--reduce", "ample", "--preserve", "deadlock", "--no-end-states"], "leaves nothing to check"),
        (&plain, &["--reduce", "sleep"], "use --search dfs --threads 1"),
        (&plain, &["--reduce", "dfs3"], "dfs3 is a depth-first search"),
        (&plain, &["--reduce", "two-phase", "--search", "dfs", "--threads", "2"], "belong to one stack"),
        (&plain, &["--reduce", "ample+dead", "--preserve", "invariants"], "merge and dead leave out values"),
        (&plain, &["--search", "dfs", "--reduce", "ample+sleep", "--preserve", "ltl"], "sleep sets do not keep cycles"),
        (&plain, &["--reduce", "ample+stubborn"], "one of them is enough"),
        (&plain, &["--reduce", "amble"], "there is no reduction `amble`"),
        (&priorities, &["--reduce", "ample"], "priorities make every step depend on every other"),
        (&asks, &["--reduce", "stubborn"], "`enabled` makes every step matter"),
    ];
    for (model, options, reason) in cases {
        let output = spinor(&[&["check"], options].concat(), model);
        assert!(stderr(&output).contains(reason), "{options:?}: {}", stderr(&output));
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{options:?}");
    }
}

#[test]
fn comparisons_leave_claims_open() {
    let scratch = Scratch::new("compared-claims");
    let model = scratch.file("m.pml", "bit x;\nactive proctype P() { do :: x = 1 - x od }\nltl p { [] (x == 0) }\n");
    let verdict = |options: &[&str]| {
        let mut command = Command::new(BINARY);
        command.args(["compare", "--json", "--algorithms", "none"]).arg(&model).args(options);
        json(&command.output().expect("the binary runs"))["rows"][0]["verdict"].clone()
    };
    assert_eq!(verdict(&[]), "undecided");
    assert_eq!(verdict(&["--", "--no-claim"]), "holds");
}

/// Promises are checked, and never relied upon: to look at a channel is not to send.
#[test]
fn promises_are_checked() {
    let scratch = Scratch::new("promises");
    let model = |others: &str| {
        format!(
            "chan q[2] = [1] of {{ byte }};\n\
             proctype P(chan c) {{ xs c; c!1 }}\n\
             init {{ atomic {{ run P(q[0]); run P(q[1]) }}; {others} }}\n"
        )
    };
    let notes = |name: &str, others: &str| {
        let file = scratch.file(name, &model(others));
        let report = json(&spinor(&["check", "--json", "--no-trail", "--no-end-states"], &file));
        report["notes"].as_array().expect("a list").iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(notes("kept.pml", "empty(q[0]); nfull(q[1]); q[0]?_"), Vec::<String>::new());
    assert_eq!(notes("never.pml", "false; q[0]!2"), Vec::<String>::new());
    let broken = notes("broken.pml", "q[0]!2");
    assert!(broken.len() == 1 && broken[0].contains("is not kept: another process (:init:) sends"), "{broken:?}");
}
