//! Models of which a wrong answer was once given, each with what is right.
//!
//! A model in `tests/regressions` says in lines that begin with `//:` what is run and what must come of it:
//!
//! - `holds`, `violated`, `undecided` or `refused`, then options: the exit code of `check`;
//! - `everywhere` before one of these: with both engines, in both orders, reduced or not;
//! - `states N`, then options: so many states are stored by `check --reduce none --keep-going`;
//! - `exit N COMMAND`, then options: the exit code of another command;
//! - `says TEXT`, `never TEXT`: what the run above must or must not print.
//!
//! In options `{here}` is the folder of the model.

mod common;

use common::{BINARY, code, json, stderr, stdout};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/regressions");

/// What `everywhere` stands for.
const CONFIGURATIONS: [&str; 8] = [
    "--engine interpret --reduce none --search bfs",
    "--engine interpret --reduce none --search dfs",
    "--engine interpret --reduce auto --search bfs",
    "--engine interpret --reduce auto --search dfs",
    "--engine native --reduce none --search bfs",
    "--engine native --reduce none --search dfs",
    "--engine native --reduce auto --search bfs",
    "--engine native --reduce auto --search dfs",
];

#[test]
fn models_once_answered_wrongly_are_answered_rightly() {
    let mut models: Vec<PathBuf> = fs::read_dir(FOLDER)
        .expect("the folder of regressions")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "pml"))
        .collect();
    models.sort();
    assert!(!models.is_empty());
    let complaints: Vec<String> = models.iter().flat_map(|model| complaints(model)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What is wrong with the answers about one model.
fn complaints(model: &Path) -> Vec<String> {
    let text = fs::read_to_string(model).expect("a model");
    let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut complaints = Vec::new();
    let mut printed = String::new();
    let mut runs = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("//: ")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let complaint = match word {
            "says" if printed.contains(rest) => None,
            "says" => Some(format!("does not say `{rest}` but\n{printed}")),
            "never" if !printed.contains(rest) => None,
            "never" => Some(format!("says `{rest}`:\n{printed}")),
            _ => {
                runs += 1;
                printed.clear();
                judge(model, word, rest, &mut printed)
            }
        };
        complaints.extend(complaint.map(|what| format!("{name}: `{line}`: {what}")));
    }
    if runs == 0 {
        complaints.push(format!("{name}: nothing is expected of it"));
    }
    complaints
}

/// Runs what a line asks for and compares with what it expects.
fn judge(model: &Path, word: &str, rest: &str, printed: &mut String) -> Option<String> {
    match word {
        "everywhere" => {
            let (verdict, options) = rest.split_once(' ').unwrap_or((rest, ""));
            let wrong = CONFIGURATIONS.iter().filter_map(|configuration| {
                let options = format!("{configuration} {options}");
                judge(model, verdict, &options, printed).map(|what| format!("{configuration}: {what}"))
            });
            wrong.reduce(|all, one| format!("{all}\n{one}"))
        }
        "states" => {
            let (number, options) = rest.split_once(' ').unwrap_or((rest, ""));
            let expected: u64 = number.parse().expect("a number of states");
            let output = run(model, "check --json --no-trail --reduce none --keep-going", options, printed);
            let found = json(&output)["states"]["stored"].as_u64();
            (found != Some(expected)).then(|| format!("{found:?} states"))
        }
        "exit" => {
            let (number, command) = rest.split_once(' ').expect("a code and a command");
            let expected: i32 = number.parse().expect("an exit code");
            let found = code(&run(model, command, "", printed));
            (found != expected).then(|| format!("exit code {found}:\n{printed}"))
        }
        _ => {
            let expected = match word {
                "holds" => 0,
                "violated" => 1,
                "refused" => 2,
                "undecided" => 3,
                _ => return Some("not a word that is known".into()),
            };
            let found = code(&run(model, "check --no-trail", rest, printed));
            (found != expected).then(|| format!("exit code {found}:\n{printed}"))
        }
    }
}

/// Runs the tool in the folder of the model.
fn run(model: &Path, command: &str, options: &str, printed: &mut String) -> Output {
    let options: Vec<String> = split(command).chain(split(options)).map(|it| it.replace("{here}", FOLDER)).collect();
    let output = Command::new(BINARY).args(options).arg(model).output().expect("the binary runs");
    let _ = write!(printed, "{}{}", stdout(&output), stderr(&output));
    output
}

/// Words, where those between single quotes are one.
fn split(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split('\'').enumerate();
    parts.flat_map(|(index, part)| {
        let words: Vec<String> =
            if index % 2 == 1 { vec![part.into()] } else { part.split_whitespace().map(String::from).collect() };
        words
    })
}
