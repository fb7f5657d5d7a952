//! The command line as a user meets it.

mod common;

use common::{BINARY, Scratch, code, json, spinor, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const HOLDS: &str = "active proctype P() { byte x; x = 1; assert(x == 1) }\n";
const FAILS: &str = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 1) }\n";
const DEADLOCK: &str = "chan c = [0] of {byte};\nactive proctype S() { c!1 }\nactive proctype R() {\n  c?2\n}\n";
const ENDLESS: &str = "int x;\nactive proctype P() { do :: x++ od }\n";

#[test]
fn exit_codes() {
    let scratch = Scratch::new("codes");
    let cases = [
        (HOLDS, 0),
        (FAILS, 1),
        (DEADLOCK, 1),
        ("active proctype P() { x = 1 }", 2),
        ("byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) }", 0),
        ("byte x; active proctype P() { x = 1 } ltl p { [] (x == 0) }", 1),
        ("chan c = [1] of {byte}; active proctype P() { c!1 } trace { do :: c!1 od }", 0),
        ("chan c = [1] of {byte}; active proctype P() { c!1 } trace { do :: c!2 od }", 1),
        ("byte x; active proctype P() { x = 1 } never { do :: timeout od }", 3),
    ];
    for (index, (text, expected)) in cases.into_iter().enumerate() {
        let model = scratch.file(&format!("m{index}.pml"), text);
        assert_eq!(code(&spinor(&["check", "--no-trail"], &model)), expected, "{text}");
    }
    assert_eq!(code(&spinor(&["check"], &scratch.0.join("absent.pml"))), 2);
    assert_eq!(code(&spinor(&["check", "--no-such-option"], &scratch.0)), 2);
}

#[test]
fn the_first_line_says_what_happened() {
    let scratch = Scratch::new("sentence");
    let model = scratch.file("m.pml", DEADLOCK);
    let output = stdout(&spinor(&["check", "--no-trail"], &model));
    let first = output.lines().next().expect("a line");
    assert!(
        first.ends_with(
            "violated: deadlock: process 0 (S) at line 2 waits to send 1 to c; \
         process 1 (R) at line 4 waits to receive 2 from c"
        ),
        "{first}"
    );
}

#[test]
fn json_has_the_fields_that_were_promised() {
    let scratch = Scratch::new("json");
    let model = scratch.file("m.pml", FAILS);
    let directory = scratch.0.to_string_lossy().into_owned();
    let output = spinor(&["check", "--search", "dfs", "--json", "--trail-dir", &directory], &model);
    let report = json(&output);
    assert_eq!(report["schema"], 1);
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["guarantee"], "partial");
    assert_eq!(report["errors"], 1);
    let violation = &report["violations"][0];
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(violation["line"], 2);
    assert_eq!(violation["length"], 3);
    assert_eq!(violation["cycle_start"], Value::Null);
    for field in ["trail", "spin_trail"] {
        let path = violation[field].as_str().expect("a path");
        assert!(Path::new(path).exists(), "{path}");
    }
    for field in ["stored", "matched", "transitions", "depth"] {
        assert!(report["states"][field].is_u64(), "{field}");
    }
    for (group, field) in [
        ("memory", "states_bytes"),
        ("memory", "total_bytes"),
        ("memory", "vector_bytes"),
        ("memory", "bytes_per_state"),
        ("memory", "fill"),
        ("time", "compile_s"),
        ("time", "search_s"),
    ] {
        assert!(report[group][field].is_number(), "{group}.{field}");
    }
    assert!(report["unreached"].is_array() && report["options"].is_object() && report["notes"].is_array());
    for field in ["engine", "store", "threads", "expected_omissions", "swarm"] {
        assert!(report.get(field).is_some(), "{field}");
    }
}

#[test]
fn trails_replay_in_both_formats() {
    let scratch = Scratch::new("replay");
    for (name, text, kind) in [("a.pml", FAILS, "assertion"), ("d.pml", DEADLOCK, "invalid-end-state")] {
        let model = scratch.file(name, text);
        spinor(&["check"], &model);
        for suffix in [".trail", ".trail.json"] {
            let trail = scratch.0.join(format!("{name}{suffix}"));
            let output =
                Command::new(BINARY).args(["replay", "--json"]).arg(&model).arg(&trail).output().expect("runs");
            assert_eq!(json(&output)["kind"], kind, "{}", stderr(&output));
            assert_eq!(code(&output), 1);
        }
    }
}

#[test]
fn a_trail_with_another_state_is_refused() {
    let scratch = Scratch::new("state");
    let model = scratch.file("m.pml", FAILS);
    spinor(&["check"], &model);
    let trail = scratch.0.join("m.pml.trail.json");
    let mut content: Value = serde_json::from_str(&fs::read_to_string(&trail).expect("a trail")).expect("JSON");
    let changes = &mut content["moves"][0]["changes"][0];
    *changes = changes.as_str().expect("a change").replace("= 1", "= 2").into();
    fs::write(&trail, content.to_string()).expect("a file");
    let output = Command::new(BINARY).arg("replay").arg(&model).arg(&trail).output().expect("runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("state after move 1"), "{}", stderr(&output));
}

#[test]
fn a_trail_of_another_model_is_refused() {
    let scratch = Scratch::new("other");
    let model = scratch.file("m.pml", FAILS);
    spinor(&["check"], &model);
    scratch.file("m.pml", &FAILS.replace("x = 2", "x = 3"));
    let trail = scratch.0.join("m.pml.trail.json");
    let output = Command::new(BINARY).arg("replay").arg(&model).arg(&trail).output().expect("runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("another text"), "{}", stderr(&output));
}

#[test]
fn limits_end_undecided() {
    let scratch = Scratch::new("limits");
    let model = scratch.file("m.pml", ENDLESS);
    for (option, value, reason) in [
        ("--max-depth", "1000", "depth limit"),
        ("--max-memory", "20M", "memory limit"),
        ("--max-time", "0.2s", "time limit"),
    ] {
        for search in ["dfs", "bfs"] {
            let output = spinor(&["check", "--json", "--reduce", "none", "--search", search, option, value], &model);
            let report = json(&output);
            assert_eq!(report["verdict"], "undecided", "{option}");
            assert_eq!(report["guarantee"], "partial");
            assert!(report["reason"].as_str().is_some_and(|it| it.contains(reason)), "{}", report["reason"]);
            assert!(report["states"]["stored"].as_u64() > Some(100));
            assert_eq!(code(&output), 3);
        }
    }
}

#[test]
fn limits_hold_inside_an_atomic_sequence() {
    let scratch = Scratch::new("paths");
    let choices = "if :: x = x + x :: x = x + x + 1 fi;".repeat(60);
    let model = scratch.file("m.pml", &format!("int x; active proctype P() {{ atomic {{ {choices} x = 0 }} }}"));
    for (option, value, reason) in [("--max-memory", "30M", "memory limit"), ("--max-time", "0.3s", "time limit")] {
        for search in ["dfs", "bfs"] {
            let output = spinor(&["check", "--json", "--reduce", "none", "--search", search, option, value], &model);
            let report = json(&output);
            assert!(report["reason"].as_str().is_some_and(|it| it.contains(reason)), "{}", report["reason"]);
            assert_eq!(code(&output), 3);
        }
    }
}

#[test]
fn every_store_and_number_of_threads_gives_the_same_answer() {
    let scratch = Scratch::new("stores");
    let text = "byte x; active [3] proctype P() { byte i; do :: i < 6 -> i++; x++ :: else -> break od }";
    let model = scratch.file("m.pml", text);
    let unreduced = ["check", "--json", "--reduce", "none"];
    let expected = json(&spinor(&unreduced, &model));
    assert_eq!(expected["verdict"], "holds");
    for store in ["exact", "tree", "collapse"] {
        for search in ["bfs", "dfs"] {
            for threads in ["1", "2"] {
                let options = ["--store", store, "--search", search, "--threads", threads];
                let report = json(&spinor(&[&unreduced[..], &options].concat(), &model));
                for field in ["stored", "matched", "transitions"] {
                    assert_eq!(report["states"][field], expected["states"][field], "{options:?}");
                }
                assert_eq!(report["verdict"], "holds");
                assert_eq!(report["guarantee"], "exact");
                assert_eq!(report["store"], store);
                assert_eq!(report["threads"].to_string(), threads);
            }
        }
    }
}

#[test]
fn every_engine_and_layout_gives_the_same_answer() {
    let scratch = Scratch::new("engines");
    // Enough states for native code to be made.
    let text = "byte x; active [3] proctype P() { byte i; do :: i < 20 -> i++; x++ :: else -> break od }";
    let model = scratch.file("m.pml", text);
    let expected = json(&spinor(&["check", "--json", "--reduce", "none", "--engine", "interpret"], &model));
    assert_eq!(expected["verdict"], "holds");
    for engine in ["native", "interpret"] {
        for layout in ["bytes", "bits", "cells"] {
            let options = ["check", "--json", "--reduce", "none", "--engine", engine, "--layout", layout];
            let report = json(&spinor(&options, &model));
            assert_eq!(report["states"], expected["states"], "{options:?}");
            assert_eq!(report["verdict"], "holds");
            assert_eq!(report["engine"], engine);
            assert_eq!(report["options"]["layout"], layout);
        }
    }
}

#[test]
fn the_engine_that_fits_the_model_is_taken() {
    let scratch = Scratch::new("fits");
    let plain = scratch.file("m.pml", HOLDS);
    let provided = scratch.file("p.pml", "byte x; active proctype P() provided (x == 0) { x = 0 }");
    assert_eq!(json(&spinor(&["check", "--json"], &plain))["engine"], "native");
    assert_eq!(json(&spinor(&["check", "--json"], &provided))["engine"], "interpret");
    let output = spinor(&["check", "--engine", "native"], &provided);
    assert!(stderr(&output).contains("no native code for"), "{}", stderr(&output));
    assert_eq!(code(&output), 2);
}

#[test]
fn a_lossy_store_never_says_holds() {
    let scratch = Scratch::new("lossy");
    let model = scratch.file("m.pml", HOLDS);
    for store in ["hash-compact", "bitstate"] {
        let output = spinor(&["check", "--json", "--store", store, "--swarm", "2", "--seed", "7"], &model);
        let report = json(&output);
        assert_eq!(report["verdict"], "undecided");
        assert_eq!(report["guarantee"], "probabilistic");
        assert_eq!(report["complete"], true);
        assert!(report["reason"].as_str().is_some_and(|it| it.contains("the chance that it did")), "{report}");
        assert!(report["expected_omissions"].is_null());
        assert!(report["omission_chance"].as_f64().is_some_and(|chance| chance < 1e-9), "{report}");
        assert_eq!(report["swarm"]["runs"].as_array().map(Vec::len), Some(2));
        assert_eq!(report["swarm"]["runs"][1]["seed"], 8);
        assert_eq!(code(&output), 3);
        let fails = scratch.file("f.pml", FAILS);
        for search in ["bfs", "dfs"] {
            let output = spinor(&["check", "--json", "--no-trail", "--store", store, "--search", search], &fails);
            assert_eq!(json(&output)["violations"][0]["length"], 3, "{store}");
            assert_eq!(code(&output), 1);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = Scratch::new("refused");
    let holds = scratch.file("m.pml", HOLDS);
    let hidden = scratch.file("h.pml", "hidden byte h; active proctype P() { h = 1; if :: h == 1 -> skip :: else fi }");
    // What a printf shows does not matter, but an index that is hidden can be at fault.
    let printed =
        scratch.file("p.pml", "hidden byte h; byte a[3]; active proctype P() { h = 2; printf(\"%d\", a[h]) }");
    let cases: [(&Path, &[&str], &str); 13] = [
        (&printed, &["--store", "tree"], "reads hidden variables"),
        (&holds, &["--hashes", "4"], "--hashes has no meaning with --store exact"),
        (&holds, &["--swarm", "4", "--store", "tree"], "--swarm has no meaning with --store tree"),
        (&holds, &["--seed", "4"], "--seed has no meaning"),
        (&holds, &["--bitstate-memory", "1M", "--store", "hash-compact"], "--bitstate-memory has no meaning"),
        (&holds, &["--bitstate-memory", "2M", "--store", "bitstate", "--max-memory", "1M"], "more than --max-memory"),
        (&holds, &["--threads", "0"], "0 is not in 1..=256"),
        (&holds, &["--encode", "huffman", "--store", "tree"], "--encode has no meaning with --store tree"),
        (&holds, &["--encode", "rle", "--store", "bitstate"], "--encode has no meaning with --store bitstate"),
        (&hidden, &["--encode", "rle"], "reads hidden variables, which --encode rle cannot do"),
        (&hidden, &["--layout", "cells"], "--layout cells"),
        (&hidden, &["--store", "tree"], "reads hidden variables"),
        (&hidden, &["--threads", "2"], "reads hidden variables"),
    ];
    for (model, options, reason) in cases {
        let output = Command::new(BINARY).arg("check").args(options).arg(model).output().expect("runs");
        assert!(stderr(&output).contains(reason), "{options:?}: {}", stderr(&output));
        assert_eq!(code(&output), 2, "{options:?}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn states_that_do_not_fit_are_moved_and_it_is_said() {
    let scratch = Scratch::new("moved");
    let text = "int a[100]; int c; byte x, y, z;
        init { do :: c < 100 -> a[c] = c * 1000; c++ :: else -> break od; run P(); run Q(); run R() }
        proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }
        proctype Q() { do :: y < 9 -> y++ :: y > 0 -> y-- od }
        proctype R() { do :: z < 9 -> z++ :: z > 0 -> z-- od }";
    let model = scratch.file("m.pml", text);
    let whole = json(&spinor(&["check", "--json", "--reduce", "none", "--no-warnings"], &model));
    let limit = (whole["memory"]["total_bytes"].as_u64().expect("bytes") * 3 / 4).to_string();
    let output = spinor(&["check", "--json", "--reduce", "none", "--no-warnings", "--max-memory", &limit], &model);
    let report = json(&output);
    assert_eq!((&report["verdict"], &report["store"]), (&Value::from("holds"), &Value::from("tree")), "{report}");
    assert_eq!(report["states"]["stored"], whole["states"]["stored"]);
    let note = report["notes"][0].as_str().expect("a note");
    assert_eq!(stderr(&output).trim(), note);
}

#[test]
fn claims_are_never_a_false_green() {
    let scratch = Scratch::new("claims");
    // What is not supported is not checked.
    let claims = ["never { do :: x = 2 od }", "never { do :: timeout od }"];
    for (index, claim) in claims.into_iter().enumerate() {
        let text = format!("byte x; chan c = [1] of {{byte}}; active proctype P() {{ x = 1; c!1 }} {claim}");
        let model = scratch.file(&format!("m{index}.pml"), &text);
        let output = spinor(&["check", "--json"], &model);
        assert_eq!(json(&output)["verdict"], "undecided", "{claim}");
        let without = spinor(&["check", "--json", "--no-claim"], &model);
        assert_eq!(json(&without)["verdict"], "holds", "{claim}");
    }
}

#[test]
fn a_trace_is_part_of_safety() {
    let scratch = Scratch::new("trace");
    let text = "chan c = [1] of {byte}; active proctype P() { c!1; c!2 } active proctype Q() { c?1; c?2 }";
    for (body, verdict, message) in [
        ("trace { c!1; c!2 }", "holds", "sends and receives follow the trace"),
        ("trace { c!1; c!1 }", "violated", "the trace does not go on with c!2"),
        ("notrace { c!1; c!1 }", "holds", "the notrace is never matched"),
        ("notrace { c?1; c?2 }", "violated", "c?2 completes the notrace"),
    ] {
        let model = scratch.file("m.pml", &format!("{text} {body}"));
        let report = json(&spinor(&["check", "--json"], &model));
        assert_eq!(report["verdict"], verdict, "{body}");
        assert!(report["reason"].as_str().is_some_and(|it| it.contains(message)), "{body}: {report}");
        assert_eq!(json(&spinor(&["check", "--json", "--property", "safety"], &model))["verdict"], verdict, "{body}");
        assert_eq!(json(&spinor(&["check", "--json", "--no-claim"], &model))["verdict"], "holds", "{body}");
        assert_eq!(code(&spinor(&["check", "--no-trail", "--reduce", "stubborn"], &model)), 2, "{body}");
    }
}

#[test]
fn what_was_not_checked_is_said() {
    let scratch = Scratch::new("aside");
    let model = scratch.file("m.pml", FAILS);
    let report = json(&spinor(&["check", "--json", "--no-assertions"], &model));
    assert_eq!(report["verdict"], "holds");
    assert!(report["reason"].as_str().is_some_and(|it| it.contains("assertions were not checked")));
    let model = scratch.file("d.pml", DEADLOCK);
    let report = json(&spinor(&["check", "--json", "--no-end-states"], &model));
    assert_eq!(report["verdict"], "holds");
    assert!(report["reason"].as_str().is_some_and(|it| it.contains("end states were not checked")));
}

#[test]
fn hidden_variables_that_are_read_leave_it_undecided() {
    let scratch = Scratch::new("hidden");
    let read = scratch.file("r.pml", "hidden byte h; active proctype P() { h = 1; if :: h == 1 -> skip :: else fi }");
    assert_eq!(json(&spinor(&["check", "--json"], &read))["verdict"], "undecided");
    let printed = scratch.file("p.pml", "hidden byte h; active proctype P() { h = 1; printf(\"%d\", h) }");
    assert_eq!(json(&spinor(&["check", "--json"], &printed))["verdict"], "holds");
}

#[test]
fn codes_change_nothing_but_the_memory() {
    let scratch = Scratch::new("encode");
    let text =
        "chan c = [3] of {byte}; byte x; active [2] proctype P() { do :: c!x :: c?x :: atomic { x < 5 -> x++ } od }";
    let model = scratch.file("m.pml", text);
    let run = |options: &[&str]| json(&spinor(&[&["check", "--json", "--layout", "bytes"], options].concat(), &model));
    let whole = run(&[]);
    assert_eq!(whole["options"]["encode"], Value::Null);
    for (code, search) in [("huffman", "dfs"), ("huffman", "bfs"), ("rle", "dfs"), ("rle", "bfs")] {
        let report = run(&["--encode", code, "--search", search]);
        assert_eq!((&report["store"], &report["options"]["encode"]), (&Value::from("exact"), &Value::from(code)));
        for field in ["stored", "matched"] {
            assert_eq!(report["states"][field], whole["states"][field], "{code}");
        }
        assert_eq!((&report["verdict"], &report["guarantee"]), (&whole["verdict"], &whole["guarantee"]));
    }
}

#[test]
fn simulation_repeats_with_its_seed() {
    let scratch = Scratch::new("simulate");
    let text = "byte x; active [3] proctype P() { do :: x < 50 -> x++ :: x > 0 -> x-- :: break od }";
    let model = scratch.file("m.pml", text);
    let run = |seed: &str| stdout(&spinor(&["simulate", "-p", "-g", "--steps", "200", "--seed", seed], &model));
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
    assert!(run("7").contains("[x = (x+1)]") || run("7").contains("[x = (x-1)]"));
}

#[test]
fn interactive_simulation_follows_choices() {
    use std::io::Write as _;
    let scratch = Scratch::new("interactive");
    let model = scratch.file("m.pml", "byte x; active proctype P() { if :: x = 1 :: x = 2 fi; assert(x == 1) }");
    let mut child = Command::new(BINARY)
        .args(["simulate", "--interactive", "--no-warnings"])
        .arg(&model)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    child.stdin.take().expect("a pipe").write_all(b"9\n2\n").expect("input");
    let output = child.wait_with_output().expect("ends");
    let text = stdout(&output);
    assert!(text.contains("a number from 1 to 2"), "{text}");
    assert!(text.contains("assert((x==1)) does not hold"), "{text}");
    assert_eq!(code(&output), 1);
}

#[test]
fn macros_from_the_command_line() {
    let scratch = Scratch::new("define");
    let model = scratch.file("m.pml", "active proctype P() { assert(N == 3) }");
    assert_eq!(code(&spinor(&["check", "-DN=3", "--no-trail"], &model)), 0);
    assert_eq!(code(&spinor(&["check", "-D", "N=4", "--no-trail"], &model)), 1);
    assert_eq!(code(&spinor(&["check", "--no-trail"], &model)), 2);
}

#[test]
fn faults_are_findings() {
    let scratch = Scratch::new("faults");
    let cases = [
        ("byte x; active proctype P() { x = 1 / x }", "division by zero"),
        ("byte a[2]; byte i = 2; active proctype P() { a[i] = 1 }", "index 2 is outside"),
        ("chan c; active proctype P() { c!1 }", "holds no channel"),
        ("value 3 x; active proctype P() { do :: x++ od }", "outside of the range 0 .. 2"),
        ("subrange T = 5 .. 7; T x; active proctype P() { do :: x-- od }", "outside of the range 5 .. 7"),
        ("byte x; active proctype P() { d_step { x = 1; x == 2 } }", "d_step cannot go on"),
        ("byte x; active proctype P() { d_step { do :: x = 1 - x od } }", "d_step never ends"),
        ("byte x; active proctype P() { atomic { do :: x = 1 - x od } }", "atomic sequence never ends"),
        ("proctype Q() { false } active proctype P() { do :: run Q() od }", "more than 255 processes"),
        ("byte x; active proctype P() provided (1 / x) { skip }", "in the provided clause of P"),
        ("D_proctype Q() { if :: true :: true fi } init { run Q() }", "a choice in a D_proctype"),
    ];
    for (index, (text, expected)) in cases.into_iter().enumerate() {
        let model = scratch.file(&format!("m{index}.pml"), text);
        for search in ["dfs", "bfs"] {
            let output = spinor(&["check", "--json", "--no-trail", "--search", search], &model);
            let report = json(&output);
            assert_eq!(report["violations"][0]["kind"], "fault", "{text}");
            let message = report["violations"][0]["message"].as_str().unwrap_or_default();
            assert!(message.contains(expected), "{text}: {message}");
            assert_eq!(code(&output), 1);
        }
    }
}

#[test]
fn an_endless_atomic_sequence_leaves_the_search_incomplete() {
    let scratch = Scratch::new("endless");
    let model = scratch.file("m.pml", "byte x; active proctype P() { atomic { do :: x = 1 - x od } }");
    let report = json(&spinor(&["check", "--json", "--no-trail", "--keep-going"], &model));
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["complete"], false);
    assert_eq!(report["guarantee"], "partial");
}

#[test]
fn words_of_the_extension_stay_names() {
    let scratch = Scratch::new("words");
    let text = "value 4 x = 3; subrange T = -2 .. 2; T t;\n\
                byte value; byte subrange;\n\
                chan c = [1] of { value 3, T };\n\
                active proctype P() { value = 5; subrange = value; c!2,-1; c?x,t; assert(x == 2 && t == -1) }";
    let model = scratch.file("m.pml", text);
    let output = spinor(&["check", "--json", "--no-trail"], &model);
    assert_eq!(json(&output)["verdict"], "holds", "{}", stdout(&output));
}

#[test]
fn automata_as_text_and_dot() {
    let scratch = Scratch::new("automata");
    let model = scratch.file("m.pml", FAILS);
    let text = stdout(&spinor(&["automata", "--no-warnings"], &model));
    assert!(text.contains("x = 1") && text.contains("writes {x}"), "{text}");
    let dot = stdout(&spinor(&["automata", "--format", "dot"], &model));
    assert!(dot.starts_with("digraph") && dot.contains("x = 1"), "{dot}");
}

#[test]
fn ranges_of_variables_and_messages() {
    let scratch = Scratch::new("ranges");
    let text = "chan c = [2] of {byte}; int x;\nactive proctype P() { do :: x < 5 -> x++ :: c!x od }";
    let output = spinor(&["automata", "--ranges", "--no-warnings"], &scratch.file("m.pml", text));
    let table = stdout(&output);
    assert_eq!(code(&output), 0);
    assert!(table.starts_with("globals: 3 of 40 bits\n"), "{table}");
    assert!(table.contains("int           3 bits  0 .. 5\n") && table.contains("channel c, capacity 2\n"), "{table}");
}

#[test]
fn unreached_statements_are_listed() {
    let scratch = Scratch::new("unreached");
    let model = scratch
        .file("m.pml", "byte x;\nactive proctype P() {\n  if\n  :: x == 0 -> skip\n  :: x == 1 -> x = 5\n  fi\n}");
    let report = json(&spinor(&["check", "--json"], &model));
    let lines: Vec<u64> =
        report["unreached"].as_array().expect("a list").iter().filter_map(|it| it["line"].as_u64()).collect();
    assert_eq!(lines, [5]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_the_statistics_so_far() {
    let scratch = Scratch::new("interrupt");
    let model = scratch.file("m.pml", ENDLESS);
    let child = Command::new(BINARY)
        .args(["check", "--json", "--reduce", "none", "--no-warnings"])
        .arg(&model)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(code(&output), 130);
    let report = json(&output);
    assert_eq!(report["verdict"], "undecided");
    assert!(report["states"]["stored"].as_u64() > Some(100), "{report}");
}

#[test]
fn a_reader_that_went_away_is_quiet() {
    let scratch = Scratch::new("pipe");
    let model = scratch.file("m.pml", "active proctype P() { byte x; do :: x++ od }");
    let command = format!("'{BINARY}' simulate -p -l --steps 100000 '{}' 2>&1 >/dev/full | cat", model.display());
    let output = Command::new("sh").args(["-c", &command]).output().expect("runs");
    assert!(!stdout(&output).contains("panicked"), "{}", stdout(&output));
}

/// An atomic sequence whose offer makes a receiver be at fault, and is taken by nobody, is interrupted: others go on,
/// in searches and when what they found is replayed.
#[test]
fn an_offer_that_only_finds_faults_interrupts() {
    let scratch = Scratch::new("interrupted");
    let model = "byte flag;\nchan c[2] = [1] of { byte };\nchan r = [0] of { byte };\n\
        active proctype Receiver() { byte x = 2; if :: flag == 1 -> flag = 2 :: c[x]?x fi }\n\
        active proctype Sender() { atomic { flag = 1; r!1 }; assert(false) }\n\
        active proctype Taker() { flag == 2; r?_ }\n";
    let model = scratch.file("m.pml", model);
    for options in [&["--reduce", "none"][..], &["--engine", "interpret"], &["--search", "dfs"]] {
        let report = json(&spinor(&[&["check", "--json", "--keep-going"], options].concat(), &model));
        assert_eq!(report["verdict"], "violated", "{options:?}: {report}");
        assert!(report["kinds"]["assertion"].is_number(), "{options:?}: {report}");
    }
}
