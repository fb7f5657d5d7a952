//! Pairs of options of `check` on small models whose answers are known: each run is right, refused or undecided.
//!
//! A sample is run; `SPINOR_OPTIONS=9000` makes it longer, `SPINOR_OPTIONS=all` runs all models with all pairs.

#[path = "../common/mod.rs"]
mod common;
mod models;

use common::{BINARY, Scratch, code, stderr, stdout};
use models::{Case, MODELS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::{Command, Output};

/// Runs of a sample.
const SAMPLE: usize = 240;

/// Options with values; those of one line exclude each other.
const OPTIONS: [&[&str]; 29] = [
    &["--search dfs", "--search scc", "--search ndfs"],
    &[
        "--reduce none",
        "--reduce symmetry",
        "--reduce merge",
        "--reduce dead",
        "--reduce merge+dead",
        "--reduce local",
        "--reduce ample",
        "--reduce overman",
        "--reduce stubborn",
        "--reduce stubborn=deletion",
        "--reduce sleep",
        "--reduce sleep+stubborn",
        "--reduce two-phase",
        "--reduce two-phase-1",
        "--reduce conflict",
        "--reduce conflict-002",
        "--reduce dfs3",
    ],
    &["--symmetry auto", "--symmetry sorted", "--symmetry full"],
    &["--proviso weak", "--proviso strong"],
    &[
        "--preserve deadlock",
        "--preserve assertions",
        "--preserve statements",
        "--preserve invariants",
        "--preserve ltl",
    ],
    &["--engine interpret", "--engine native"],
    &["--layout bytes", "--layout bits", "--layout cells"],
    &[
        "--store tree",
        "--store collapse",
        "--store hash-compact",
        "--store bitstate",
        "--store bitstate --bitstate-memory 1K --hashes 2",
        "--store cache=1000",
        "--store cache=20,round-robin",
    ],
    &["--encode huffman", "--encode rle"],
    &["--bitstate-memory 1K"],
    &["--hashes 2"],
    &["--swarm 2"],
    &["--seed 3"],
    &["--threads 2"],
    &["--workers 2"],
    &["--checkpoint {scratch}/new"],
    &["--every 1ms"],
    &["--keep-going"],
    &["--max-depth 3", "--max-depth 1000"],
    &["--max-memory 1M", "--max-memory 1G"],
    &["--max-time 1ms", "--max-time 60s"],
    &["--property safety", "--property p", "--property progress", "--property acceptance", "--property never_0"],
    &["--ltl [](x<100)", "--ltl [](x<0)", "--ltl-file {scratch}/good.ltl", "--ltl-file {scratch}/bad.ltl"],
    &["--claim {scratch}/good.never", "--claim {scratch}/bad.never", "--no-claim"],
    &["--progress"],
    &["--fair"],
    &["--no-end-states"],
    &["--no-assertions"],
    &["-DUNUSED=1", "-UUNUSED"],
];

#[test]
fn each_pair_of_options_is_answered_rightly_or_not_at_all() {
    let scratch = Scratch::new("options");
    scratch.file("good.ltl", "[] (x < 100)");
    scratch.file("bad.ltl", "ltl bad { [] (x < 0) }");
    scratch.file("good.never", "never good { do :: x >= 100 -> break :: else od }");
    scratch.file("bad.never", "never bad { do :: x < 100 -> break :: else od }");
    let pairs = pairs();
    let wanted = env::var("SPINOR_OPTIONS").unwrap_or_default();
    let all = MODELS.len() * pairs.len();
    let count = if wanted == "all" { all } else { wanted.parse().unwrap_or(SAMPLE).min(all) };
    // A prime that divides neither number: none is run twice.
    let runs = (0..count).map(|n| n * 7919 % all).map(|n| (n % MODELS.len(), n / MODELS.len()));
    let complaints: Vec<String> = runs
        .filter_map(|(model, pair)| {
            let case = &MODELS[model];
            let file = scratch.file(&format!("m{model}.pml"), case.text);
            let _ = std::fs::remove_dir_all(scratch.0.join("new"));
            let place = scratch.0.to_string_lossy();
            let words: Vec<String> =
                pairs[pair].split_whitespace().map(|word| word.replace("{scratch}", &place)).collect();
            complaint(case, &words, &file).map(|what| format!("{}\n{}: {what}", case.text, pairs[pair]))
        })
        .collect();
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n\n"));
}

/// What is known of a model is what is said of it, without options and without reductions.
#[test]
fn each_model_is_decided() {
    let scratch = Scratch::new("plain");
    for (index, case) in MODELS.iter().enumerate() {
        let model = scratch.file(&format!("m{index}.pml"), case.text);
        for words in
            ["", "--reduce none --engine interpret", "--reduce none --progress", "--reduce none --progress --fair"]
        {
            let words: Vec<String> = words.split_whitespace().map(String::from).collect();
            let expected = match Asked::of(case, &words).must_fail {
                true => 1,
                false if case.is_open() => 3,
                false => 0,
            };
            let run = Command::new(BINARY).args(["check", "--no-trail"]).args(&words).arg(&model).output();
            let output = run.expect("the binary runs");
            assert_eq!(code(&output), expected, "{words:?}\n{}\n{}{}", case.text, stdout(&output), stderr(&output));
            assert_eq!(complaint(case, &words, &model), None, "{words:?}\n{}", case.text);
        }
    }
}

/// All pairs of options that do not exclude each other, and each option alone.
fn pairs() -> Vec<String> {
    let mut pairs = Vec::new();
    for (index, first) in OPTIONS.iter().enumerate() {
        pairs.extend(first.iter().map(ToString::to_string));
        for second in &OPTIONS[index + 1..] {
            pairs.extend(first.iter().flat_map(|one| second.iter().map(move |other| format!("{one} {other}"))));
        }
    }
    pairs
}

/// What is wrong with a run.
fn complaint(case: &Case, words: &[String], model: &Path) -> Option<String> {
    let run = Command::new(BINARY).args(["check", "--json", "--no-trail"]).args(words).arg(model).output();
    let output = run.expect("the binary runs");
    let all = || format!("{}{}", stdout(&output), stderr(&output));
    if all().contains("panicked") || all().contains("internal error") {
        return Some(all());
    }
    let asked = Asked::of(case, words);
    match code(&output) {
        0 if asked.must_fail => Some(format!("holds: {}", all())),
        0 => judge_holds(&asked, &output),
        1 if !asked.may_fail => Some(format!("violated: {}", all())),
        1 => judge_violated(&output),
        2 if stdout(&output).is_empty() && stderr(&output).contains("error: ") => None,
        3 => judge_undecided(&output),
        other => Some(format!("exit code {other}: {}", all())),
    }
}

fn report(output: &Output) -> Result<Value, String> {
    serde_json::from_str(&stdout(output)).map_err(|error| format!("{error}: {}", stdout(output)))
}

/// What a report says, without figures and options.
fn brief(mut report: Value) -> String {
    for field in ["options", "memory", "time", "symmetry", "states", "reduction", "engine", "store", "threads"] {
        report.as_object_mut().and_then(|it| it.remove(field));
    }
    report.to_string()
}

/// A report that says `holds` says that all that was asked was done.
fn judge_holds(asked: &Asked, output: &Output) -> Option<String> {
    let report = match report(output) {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    let names: BTreeSet<&str> =
        report["properties"].as_array().into_iter().flatten().filter_map(|row| row["name"].as_str()).collect();
    let rows: BTreeSet<&str> = asked.rows.iter().map(String::as_str).collect();
    let is_true = report["verdict"] == "holds"
        && report["guarantee"] == "exact"
        && report["complete"] == true
        && report["errors"] == 0
        && report["expected_omissions"] == 0.0
        && rows.is_subset(&names)
        && names.iter().all(|name| rows.contains(name) || *name == "acceptance")
        && report["unchecked"].as_array().is_some_and(Vec::is_empty)
        && report["properties"].as_array().is_some_and(|rows| rows.iter().all(|row| row["verdict"] == "holds"))
        && (report["reduction"].is_null() || rows.contains("safety"))
        && (report["unreached_exact"] == false || rows.contains("safety"));
    (!is_true).then(|| format!("wanted {rows:?}: {}", brief(report)))
}

fn judge_violated(output: &Output) -> Option<String> {
    let report = match report(output) {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    let violations = report["violations"].as_array().map_or(0, Vec::len);
    let kinds: u64 = report["kinds"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
    let is_stopped = report["complete"] == true && report["guarantee"] == "partial";
    // Who has no time left for the way to a violation says so.
    let has_no_way = report["notes"].to_string().contains("was not found again within the limits");
    let is_true = report["verdict"] == "violated"
        && (violations > 0 || has_no_way)
        && report["errors"].as_u64() == Some(kinds)
        && kinds >= violations as u64
        && !is_stopped;
    (!is_true).then(|| brief(report))
}

fn judge_undecided(output: &Output) -> Option<String> {
    let report = match report(output) {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    let is_true = report["verdict"] == "undecided"
        && report["guarantee"] != "exact"
        && report["reason"].as_str().is_some_and(|reason| !reason.is_empty());
    (!is_true).then(|| brief(report))
}

/// What is asked of a model with options.
struct Asked {
    rows: Vec<String>,
    must_fail: bool,
    may_fail: bool,
}

impl Asked {
    fn of(case: &Case, words: &[String]) -> Asked {
        let has = |option: &str| words.iter().any(|word| word == option);
        let value = |option: &str| {
            let at = words.iter().position(|word| word == option)?;
            words.get(at + 1).map(String::as_str)
        };
        let property = value("--property");
        let (no_claim, fair) = (has("--no-claim"), has("--fair"));
        let mut asked = Asked { rows: Vec::new(), must_fail: false, may_fail: false };
        if property.is_none_or(|it| it == "safety") {
            let only_deadlocks = value("--preserve") == Some("deadlock");
            let assertions = case.is_wrong("assertion") && !has("--no-assertions") || case.is_wrong("fault");
            let others = case.is_wrong("deadlock") && !has("--no-end-states") || case.is_wrong("trace") && !no_claim;
            asked.row("safety", assertions && !only_deadlocks || others, assertions || others);
        }
        let own = |kind: &str| case.has(kind) && !no_claim && property.is_none_or(|it| it == kind);
        for (kind, is_asked) in [
            ("p", own("p")),
            ("acceptance", own("acceptance") && value("--claim").is_none()),
            ("never_0", own("never_0")),
            ("progress", has("--progress") || property == Some("progress")),
        ] {
            if is_asked {
                let wrong = case.is_wrong(&if fair { format!("fair {kind}") } else { kind.into() });
                // What is violated may be so before a fault ends the execution.
                asked.row(kind, wrong, wrong || case.is_wrong("fault"));
            }
        }
        // Labels are asked for beside a claim, too, whose own labels are not these.
        asked.may_fail |= case.is_wrong("acceptance") && own("acceptance");
        for (option, bad) in [("--ltl", "[](x<0)"), ("--ltl-file", "bad"), ("--claim", "bad")] {
            if let Some(text) = value(option) {
                let is_bad = text.contains(bad);
                let name = match (option, is_bad) {
                    ("--ltl", _) => "formula",
                    ("--ltl-file", false) => "formula_file",
                    ("--claim", false) => "good",
                    _ => "bad",
                };
                asked.row(name, is_bad, is_bad);
            }
        }
        asked
    }

    fn row(&mut self, name: &str, must_fail: bool, may_fail: bool) {
        self.rows.push(name.into());
        self.must_fail |= must_fail;
        self.may_fail |= may_fail;
    }
}
