//! Claims and formulas as a user meets them.

mod common;

use common::{Scratch, code, json, spinor, stderr, stdout};
use std::process::Command;

const MODEL: &str = "byte x, y;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { do :: y < 2 -> y++ :: y == 2 -> y = 0 od }
ltl settles { <> [] (x == 1) }
ltl returns { [] <> (x == 1) }
ltl small { [] (y < 3) }
";

#[test]
fn each_property_has_a_line() {
    let scratch = Scratch::new("properties");
    let model = scratch.file("m.pml", MODEL);
    let output = spinor(&["check", "--no-trail"], &model);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for line in ["  safety       holds", "  ltl settles  violated", "  ltl returns  violated", "  ltl small    holds"] {
        assert!(text.lines().any(|it| it.starts_with(line)), "{line}: {text}");
    }
    assert!(text.contains("<<<<<START OF CYCLE>>>>>"), "{text}");
    let report = json(&spinor(&["check", "--no-trail", "--json"], &model));
    let verdicts: Vec<_> = report["properties"].as_array().expect("a list").iter().map(|it| &it["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "violated", "violated", "holds"]);
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(2));
    assert!(report["violations"][0]["cycle_start"].is_u64(), "{report}");
}

#[test]
fn one_property_is_picked() {
    let scratch = Scratch::new("picked");
    let model = scratch.file("m.pml", MODEL);
    for (name, expected) in [("safety", 0), ("small", 0), ("settles", 1), ("progress", 1), ("absent", 2)] {
        assert_eq!(code(&spinor(&["check", "--no-trail", "--property", name], &model)), expected, "{name}");
    }
    let report = json(&spinor(&["check", "--json", "--property", "small"], &model));
    assert_eq!(report["properties"].as_array().map(Vec::len), Some(1));
}

#[test]
fn fairness_lets_everybody_move() {
    let scratch = Scratch::new("fair");
    let model = scratch.file("m.pml", MODEL);
    for search in ["scc", "ndfs"] {
        let arguments = ["check", "--no-trail", "--search", search, "--property", "returns"];
        assert_eq!(code(&spinor(&arguments, &model)), 1);
        assert_eq!(code(&spinor(&[&arguments[..], &["--fair"]].concat(), &model)), 0);
    }
}

#[test]
fn formulas_of_the_command_line_see_the_macros_of_the_model() {
    let scratch = Scratch::new("formula");
    let text = "#define p (x == 1)\nbyte x; active proctype P() { do :: x = 1 - x od }";
    let model = scratch.file("m.pml", text);
    let formula = |formula: &str| spinor(&["check", "--no-trail", "--ltl", formula], &model);
    assert_eq!(code(&formula("[] <> p")), 0);
    assert_eq!(code(&formula("<> [] p")), 1);
    let wrong = formula("[] (q == 1)");
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("'q' is not declared"), "{}", stderr(&wrong));
    let file = scratch.file("f.ltl", "[] <> p").to_string_lossy().into_owned();
    assert_eq!(code(&spinor(&["check", "--no-trail", "--ltl-file", &file], &model)), 0);
    let blocks = scratch.file("g.ltl", "ltl a { [] <> p }\nltl b { [] p }").to_string_lossy().into_owned();
    let report = json(&spinor(&["check", "--no-trail", "--json", "--ltl-file", &blocks], &model));
    let names: Vec<_> = report["properties"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["safety", "a", "b"]);
}

#[test]
fn a_wrong_formula_is_an_error_with_its_place() {
    let scratch = Scratch::new("wrong");
    let text = "byte x; active proctype P() { x = 1 }\nltl p { [] (P@nowhere -> <> (z == 1)) }";
    let output = spinor(&["check", "--no-trail"], &scratch.file("m.pml", text));
    assert_eq!(code(&output), 2);
    let complaint = stderr(&output);
    assert!(complaint.contains("has no label 'nowhere'") && complaint.contains("'z' is not declared"), "{complaint}");
    assert!(complaint.contains("m.pml:2:"), "{complaint}");
}

#[test]
fn progress_is_asked_for() {
    let scratch = Scratch::new("progress");
    let model =
        scratch.file("m.pml", "byte x; active proctype P() { do :: x = 1; x = 0 :: x = 2; progress: x = 0 od }");
    assert_eq!(code(&spinor(&["check", "--no-trail"], &model)), 0);
    let report = json(&spinor(&["check", "--no-trail", "--json", "--progress"], &model));
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["violations"][0]["kind"], "non-progress-cycle");
}

#[test]
fn a_cycle_is_replayed() {
    let scratch = Scratch::new("cycle");
    let model = scratch.file("m.pml", MODEL);
    let folder = scratch.0.to_string_lossy().into_owned();
    assert_eq!(code(&spinor(&["check", "--trail-dir", &folder, "--property", "settles"], &model)), 1);
    for trail in ["m.pml.trail", "m.pml.trail.json"] {
        let mut replay = Command::new(common::BINARY);
        let output = replay.arg("replay").arg(&model).arg(scratch.0.join(trail)).output().expect("the binary runs");
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert!(stdout(&output).contains("steps are repeated for ever"), "{}", stdout(&output));
    }
}

#[test]
fn a_lossy_store_decides_no_claim() {
    let scratch = Scratch::new("lossy");
    let model = scratch.file("m.pml", "byte x; active proctype P() { do :: x = 1 - x od } ltl p { [] (x < 2) }");
    let report = json(&spinor(&["check", "--no-trail", "--json", "--store", "bitstate"], &model));
    assert_eq!(report["verdict"], "undecided");
    assert_eq!(report["properties"][1]["verdict"], "undecided");
}

#[test]
fn claims_come_from_files() {
    let scratch = Scratch::new("claim");
    let model = scratch.file("m.pml", "byte x; active proctype P() { do :: x = 1 - x od }");
    let never = scratch.file("never", "never { do :: x == 1 -> break :: else od }").to_string_lossy().into_owned();
    assert_eq!(code(&spinor(&["check", "--no-trail", "--claim", &never], &model)), 1);
    // For ever x == 0, from some point on.
    let hoa = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"x == 0\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
               State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1\n--END--\n";
    let file = scratch.file("claim.hoa", hoa).to_string_lossy().into_owned();
    assert_eq!(code(&spinor(&["check", "--no-trail", "--claim", &file], &model)), 0);
    let broken = scratch.file("broken.hoa", &hoa.replace("Inf(0)", "Inf(7)")).to_string_lossy().into_owned();
    assert_eq!(code(&spinor(&["check", "--no-trail", "--claim", &broken], &model)), 2);
}

#[test]
fn who_starves_is_named() {
    let scratch = Scratch::new("starves");
    let model = scratch.file("m.pml", MODEL);
    let arguments = ["check", "--no-trail", "--property", "returns"];
    let text = stdout(&spinor(&arguments, &model));
    assert!(text.contains("process 0 (P) could always move in the cycle, and does not"), "{text}");
    let report = json(&spinor(&[&arguments[..], &["--json"]].concat(), &model));
    assert_eq!(report["violations"][0]["starving"], serde_json::json!([0]));
}

/// What reductions are known to get wrong is right with default settings, and the report says what was left out.
#[test]
fn claims_are_reduced_where_that_is_sound() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/counterexamples");
    for (name, selector) in
        [("guessed_parity", None), ("weak_proviso_cycle", Some("stubborn")), ("sleeping_cycle", Some("stubborn"))]
    {
        let model = folder.join(name).with_extension("pml");
        for more in [&[][..], &["--search", "ndfs"], &["--threads", "2"], &["--reduce", "ample"]] {
            let output = spinor(&[&["check", "--no-trail", "--json"], more].concat(), &model);
            assert_eq!(code(&output), 1, "{name} {more:?}");
            let reduction = &json(&output)["properties"][1]["reduction"];
            let expected = match selector {
                Some(_) if more.contains(&"ample") => Some("ample"),
                selector => selector,
            };
            assert_eq!(reduction["selector"].as_str(), expected, "{name} {more:?}");
        }
    }
    let scratch = Scratch::new("reduced");
    let model = scratch.file("m.pml", &format!("{MODEL} ltl soon {{ X (x == 1) }}"));
    let text = stdout(&spinor(&["check", "--no-trail"], &model));
    assert!(text.contains("reduced by stubborn, strong proviso"), "{text}");
    assert!(text.contains("not reduced: it matters to the claim how often a state is repeated"), "{text}");
    let text = stdout(&spinor(&["check", "--no-trail", "--fair", "--reduce", "stubborn"], &model));
    assert!(text.contains("not reduced: a step that goes first may be what others wait for"), "{text}");
    let text = stdout(&spinor(&["check", "--no-trail", "--reduce", "sleep", "--search", "dfs"], &model));
    assert!(text.contains("not reduced: sleep sets keep states, not cycles"), "{text}");
}

#[test]
fn several_threads_look_for_cycles() {
    let scratch = Scratch::new("threads");
    let model = scratch.file("m.pml", MODEL);
    let threads = |more: &[&str]| {
        let report = json(&spinor(&[&["check", "--no-trail", "--json", "--threads", "2"], more].concat(), &model));
        let verdicts: Vec<_> =
            report["properties"].as_array().expect("a list").iter().map(|it| &it["verdict"]).collect();
        assert_eq!(verdicts, ["holds", "violated", "violated", "holds"], "{more:?}");
        report["properties"][1]["threads"].as_u64()
    };
    assert_eq!(threads(&[]), Some(2));
    assert_eq!(threads(&["--search", "ndfs", "--store", "collapse"]), Some(2));
    // Components, and trees, are for one.
    assert_eq!(threads(&["--search", "scc"]), Some(1));
    assert_eq!(threads(&["--store", "tree"]), Some(1));
}
