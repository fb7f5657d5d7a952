//! Trails: where they go, how they are named, and what replay says of them.

mod common;

use common::{BINARY, Scratch, code, json, spinor, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn replay(options: &[&str], model: &Path, trail: &Path) -> Output {
    Command::new(BINARY).arg("replay").args(options).arg(model).arg(trail).output().expect("the binary runs")
}

fn trails_of(model: &Path) -> [PathBuf; 2] {
    [".trail.json", ".trail"].map(|end| PathBuf::from(format!("{}{end}", model.display())))
}

/// Each kind of violation, by a model that has no other.
const KINDS: [(&str, &str, &str); 12] = [
    ("assertion", "byte x; active proctype P() { x = 1; assert(x == 0) }", ""),
    ("invalid-end-state", "byte x; active proctype P() { x = 1; x == 0 }", ""),
    ("invalid-end-state", "active proctype P() { false }", ""),
    ("fault", "byte x; active proctype P() { x = 1; x = 1 / (x - 1) }", ""),
    ("fault", "byte y; byte x = 1 / y; active proctype P() { assert(x == x) }", ""),
    ("fault", "byte x; active proctype P() { atomic { do :: x = 1 - x od } }", ""),
    ("fault", "byte x; active proctype P() { d_step { do :: x = 1 - x od } }", ""),
    ("trace", "chan c = [2] of { byte }; active proctype P() { c!1; c!2 } trace { c!1; c!1 }", ""),
    ("claim-end", "byte x; active proctype P() { x = 1; x = 2 } ltl p { [] (x < 2) }", ""),
    ("claim-end", "byte x; active proctype P() { x = 1; x = 2 } never { do :: x == 2 -> break :: else od }", ""),
    ("acceptance-cycle", "byte x; active proctype P() { do :: x = 1 - x od } ltl p { <> [] (x == 0) }", ""),
    ("non-progress-cycle", "byte x; active proctype P() { do :: x = 1 - x :: skip; progress: x = 0 od }", "--progress"),
];

#[test]
fn replay_ends_with_1_on_every_violation() {
    let scratch = Scratch::new("kinds");
    for (index, (kind, text, option)) in KINDS.into_iter().enumerate() {
        let model = scratch.file(&format!("m{index}.pml"), text);
        let options: Vec<&str> = ["check", "--json"].into_iter().chain(option.split_whitespace()).collect();
        let report = json(&spinor(&options, &model));
        assert_eq!(report["violations"][0]["kind"], kind, "{text}");
        assert_eq!(report["kinds"][kind], 1, "{text}");
        for trail in trails_of(&model) {
            let output = replay(&["--json"], &model, &trail);
            assert_eq!(code(&output), 1, "{text}: {}: {}{}", trail.display(), stdout(&output), stderr(&output));
            let found = &json(&output)["kind"];
            let is_spin = trail.extension().is_some_and(|it| it == "trail");
            let is_known = found == kind || is_spin && found == "acceptance-cycle" && kind == "non-progress-cycle";
            assert!(is_known, "{text}: {found}");
            assert_eq!(code(&replay(&[], &model, &trail)), 1, "{text}");
        }
    }
}

#[test]
fn a_claim_that_is_not_in_the_model_is_replayed_as_it_was_told() {
    let scratch = Scratch::new("told");
    let model = scratch.file("m.pml", "byte x; active proctype P() { x = 1; x = 2 }");
    assert_eq!(code(&spinor(&["check", "--ltl", "[] (x < 2)"], &model)), 1);
    let [native, spin] = trails_of(&model);
    let output = replay(&["--json"], &model, &native);
    assert_eq!((code(&output), json(&output)["kind"].as_str()), (1, Some("claim-end")));
    // SPIN's trail says nothing of a claim, and there is none.
    assert_eq!(code(&replay(&[], &model, &spin)), 0);
}

#[test]
fn a_trail_that_does_not_show_what_it_tells_is_refused() {
    let scratch = Scratch::new("changed");
    let model = scratch.file("m.pml", "byte x; active proctype P() { x = 1; x = 2; x = 0 } ltl p { [] (x < 2) }");
    assert_eq!(code(&spinor(&["check"], &model)), 1);
    let [native, _] = trails_of(&model);
    let told: Value = serde_json::from_str(&fs::read_to_string(&native).expect("a trail")).expect("JSON");
    let mut shorter = told.clone();
    shorter["moves"].as_array_mut().expect("moves").pop();
    let mut other = told.clone();
    (other["property"], other["claim"]) = ("assertion".into(), Value::Null);
    let mut unknown = told;
    unknown["property"] = "no-such-kind".into();
    for (trail, reason) in [(shorter, "does not show that ltl p"), (other, "does not show the"), (unknown, "not known")]
    {
        let file = scratch.file("changed.json", &trail.to_string());
        let output = replay(&[], &model, &file);
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn a_trail_of_spin_whose_last_line_does_not_fit_is_refused() {
    let scratch = Scratch::new("last");
    let model = scratch.file("m.pml", "byte x; active proctype P() { skip; x = 1; x = 2; assert(x == 0) }");
    assert_eq!(code(&spinor(&["check"], &model)), 1);
    let [_, spin] = trails_of(&model);
    let text = fs::read_to_string(&spin).expect("a trail");
    let lines: Vec<&str> = text.lines().collect();
    let (last, before) = lines.split_last().expect("some lines");
    let statement: u32 = last.rsplit(':').next().and_then(|it| it.parse().ok()).expect("a number");
    let before = before.join("\n");
    for (line, expected) in [
        (String::new(), 0),
        ((*last).to_string(), 1),
        (format!("9:0:{}", statement - 1), 2),
        (format!("9:0:{}", statement + 7), 2),
        (format!("9:3:{statement}"), 2),
    ] {
        let trail = scratch.file("changed.trail", &format!("{before}\n{line}\n"));
        assert_eq!(code(&replay(&[], &model, &trail)), expected, "{line}");
    }
    // Nobody takes what is offered at the end.
    let offer = "chan c = [0] of { byte }; byte x; active proctype P() { x = 1; c!1 }";
    let model = scratch.file("offer.pml", offer);
    assert_eq!(code(&spinor(&["check"], &model)), 1);
    let [_, spin] = trails_of(&model);
    let text = fs::read_to_string(&spin).expect("a trail");
    let first: u32 = text.trim().rsplit(':').next().and_then(|it| it.parse().ok()).expect("a number");
    let trail = scratch.file("offered.trail", &format!("{text}2:0:{}\n", first + 1));
    assert_eq!(code(&replay(&[], &model, &trail)), 1);
}

#[test]
fn the_command_that_is_printed_replays() {
    let scratch = Scratch::new("quotes");
    let folder = scratch.0.join("it's a folder");
    fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("m $x.pml");
    fs::write(&model, "byte x; active proctype P() { x = N; assert(x < LIMIT) }").expect("a file");
    let output = spinor(&["check", "-DN=4", "-DLIMIT=(2 + 1)", "-UM"], &model);
    let text = stdout(&output);
    let line = text.lines().find(|line| line.starts_with("trail: ")).expect("a trail");
    let command = line[line.find("(spinor").expect("a command") + 1..].strip_suffix(')').expect("a parenthesis");
    let folder = Path::new(BINARY).parent().expect("a folder").display();
    let script = format!("PATH={folder}:$PATH; {command}");
    let shown = Command::new("sh").arg("-c").arg(script).output().expect("a shell");
    assert_eq!(code(&shown), 1, "{command}: {}", stderr(&shown));
    assert!(stdout(&shown).contains("assert"), "{}", stdout(&shown));
}

#[test]
fn trails_of_another_model_are_left_alone() {
    let scratch = Scratch::new("same");
    let folder = scratch.0.to_string_lossy().into_owned();
    let mut names = Vec::new();
    for (place, value) in [("one", 1), ("two", 2), ("one", 1)] {
        let place = scratch.0.join(place);
        fs::create_dir_all(&place).expect("a folder");
        let model = place.join("m.pml");
        fs::write(&model, format!("byte x; active proctype P() {{ x = {value}; assert(x == 0) }}")).expect("a file");
        let report = json(&spinor(&["check", "--json", "--trail-dir", &folder], &model));
        let trail = report["violations"][0]["trail"].as_str().expect("a trail").to_string();
        assert_eq!(code(&replay(&[], &model, Path::new(&trail))), 1);
        names.push(trail);
    }
    assert_ne!(names[0], names[1]);
    assert_eq!(names[0], names[2]);
}

#[test]
fn each_trail_that_is_written_is_named() {
    let scratch = Scratch::new("named");
    let text = "byte x; active proctype P() { x = 1; assert(x == 2); x = 3; x == 0 } ltl p { [] (x < 3) }";
    let model = scratch.file("m.pml", text);
    for (option, count) in [("--no-warnings", 2), ("--keep-going", 3)] {
        let text = stdout(&spinor(&["check", option], &model));
        let trails =
            fs::read_dir(&scratch.0).expect("a folder").filter_map(|it| it.ok()?.file_name().into_string().ok());
        let trails: Vec<String> = trails.filter(|name| name.ends_with(".trail.json")).collect();
        assert_eq!(trails.len(), count, "{trails:?}");
        assert!(
            trails.iter().all(|name| text.contains(&format!("trail: {}", scratch.0.join(name).display()))),
            "{text}"
        );
    }
}

#[test]
fn trails_need_a_folder() {
    let scratch = Scratch::new("folder");
    let model = scratch.file("m.pml", "byte x; active proctype P() { x = 1; assert(x == 0) }");
    let absent = scratch.0.join("absent").to_string_lossy().into_owned();
    let output = spinor(&["check", "--trail-dir", &absent], &model);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no such folder"), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let scratch = Scratch::new("full");
    let model = scratch.file("m.pml", "byte x; active proctype P() { x = 1; assert(x == 1) }");
    let file = model.to_string_lossy().into_owned();
    let commands: [&[&str]; 8] = [
        &["check", "--no-trail", &file],
        &["check", "--no-trail", "--json", &file],
        &["compare", "--algorithms", "none", &file],
        &["simulate", "-p", &file],
        &["automata", &file],
        &["symmetry", &file],
        &["ltl", "[] p"],
        &["--help"],
    ];
    for words in commands {
        let full = File::options().write(true).open("/dev/full").expect("a full disk");
        let output = Command::new(BINARY).args(words).stdout(full).output().expect("the binary runs");
        assert_eq!(code(&output), 2, "{words:?}");
        assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
    }
}

#[test]
fn a_reader_that_went_away_ends_a_simulation() {
    let scratch = Scratch::new("reader");
    let model = scratch.file("m.pml", "byte x; active proctype P() { do :: x++ od }");
    let mut run = Command::new(BINARY);
    run.args(["simulate", "-p", "--steps", "1000000000"]).arg(&model).stdout(Stdio::piped());
    let mut child = run.spawn().expect("the binary runs");
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 100]).expect("some steps");
    drop(out);
    assert_eq!(child.wait().expect("an end").code(), Some(3));
}

/// How a state lies in memory depends on what is asked of the model; a trail does not.
#[test]
fn a_trail_replays_whatever_was_asked_of_the_model() {
    let scratch = Scratch::new("asked");
    let receiver = "active proctype Q() { byte y; end: do :: c?y od }";
    let never = scratch.file("n.never", "never nv { do :: x == 2 -> break :: else od }");
    let never = never.to_string_lossy().into_owned();
    let cases: [(String, Vec<&str>); 3] = [
        (
            format!("byte x; chan c = [1] of {{ byte }}; active proctype P() {{ c!0; c!1; x = 1; assert(false) }} {receiver} trace {{ do :: c!0; c!1 od }}"),
            vec!["--no-claim"],
        ),
        (
            format!("byte x; chan c = [1] of {{ byte }}; active proctype P() {{ c!1; x = 1; x = 2 }} {receiver}"),
            vec!["--claim", &never],
        ),
        (
            "hidden byte h; byte x; active proctype P() { byte i; i = 1; h = 1; x = 1; i = 0 } active proctype Q() { x = 2 }".into(),
            vec!["--ltl", "[] (_last == 0)"],
        ),
    ];
    for (index, (text, options)) in cases.iter().enumerate() {
        let model = scratch.file(&format!("m{index}.pml"), text);
        let options: Vec<&str> = ["check"].iter().chain(options).copied().collect();
        assert_eq!(code(&spinor(&options, &model)), 1, "{text}");
        let [native, _] = trails_of(&model);
        let output = replay(&[], &model, &native);
        assert_eq!(code(&output), 1, "{text}: {}", stderr(&output));
    }
}
