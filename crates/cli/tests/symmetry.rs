//! Symmetry as a user meets it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn model(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    path.to_string_lossy().into_owned()
}

fn spinor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spinor")).args(arguments).output().expect("the binary runs")
}

fn check(name: &str, options: &[&str]) -> Value {
    let path = model(name);
    let mut arguments = vec!["check", "--json", "--no-trail", "--no-warnings", &path];
    arguments.extend(options);
    serde_json::from_slice(&spinor(&arguments).stdout).expect("one object")
}

fn refused(options: &[&str]) -> String {
    let path = model("symmetry/readers.pml");
    let mut arguments = vec!["check", &path];
    arguments.extend(options);
    let output = spinor(&arguments);
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn auto_makes_use_of_it_and_says_so() {
    let auto = check("symmetry/readers.pml", &["--keep-going"]);
    assert_eq!(auto["verdict"], "holds");
    assert_eq!(auto["symmetry"]["order"], 36);
    assert_eq!(auto["symmetry"]["used"], true);
    let parts = auto["reduction"]["parts"].as_str().expect("parts");
    assert!(parts.ends_with("+symmetry"), "{parts}");
    let none = check("symmetry/readers.pml", &["--reduce", "none"]);
    assert_eq!(none["symmetry"], Value::Null);
    assert_eq!(none["states"]["stored"], 560);
}

#[test]
fn counterexamples_are_executions() {
    for search in ["bfs", "dfs"] {
        let report = check("symmetry/philosophers.pml", &["--reduce", "symmetry", "--search", search]);
        assert_eq!(report["verdict"], "violated", "{report}");
        assert_eq!(report["symmetry"]["classes"][0]["full"], false);
    }
}

/// What is said of the reduction of a formula.
fn reduction(name: &str, formula: &str, options: &[&str]) -> (Value, Value) {
    let report = check(name, &[&["--ltl", formula], options].concat());
    let all = report["properties"].as_array().expect("a list");
    let ltl = all.iter().find(|it| it["kind"] == "ltl").expect("a formula");
    (ltl["verdict"].clone(), ltl["reduction"].clone())
}

#[test]
fn formulas_make_use_of_it_or_say_why_not() {
    let formula = "[] <> (inside == 1)";
    for reduce in ["auto", "symmetry"] {
        let (verdict, how) = reduction("symmetry/mutex.pml", formula, &["--reduce", reduce]);
        assert_eq!((verdict, &how["symmetry"]), ("violated".into(), &Value::from(6)), "{how}");
    }
    let (_, how) = reduction("symmetry/mutex.pml", formula, &["--reduce", "none"]);
    assert_eq!((&how["symmetry"], &how["without_symmetry"]), (&Value::Null, &Value::Null));
    let (_, how) = reduction("symmetry/mutex.pml", formula, &["--fair"]);
    assert!(how["without_symmetry"].as_str().expect("said aloud").contains("fairness"), "{how}");
    // Two of three can still change places.
    let (verdict, how) = reduction("symmetry/mutex.pml", "[] <> (line?[0])", &["--reduce", "symmetry"]);
    assert_eq!((verdict, &how["symmetry"]), ("violated".into(), &Value::from(2)), "{how}");
}

#[test]
fn joint_values_are_kept_up_to_renaming() {
    let names = ["--reduce", "stubborn+symmetry", "--preserve", "invariants"];
    assert_eq!(check("symmetry/readers.pml", &names)["verdict"], "holds");
}

#[test]
fn what_is_not_sound_is_refused() {
    assert!(refused(&["--reduce", "sleep+symmetry", "--search", "dfs"]).contains("symmetry together with sleep sets"));
    assert!(refused(&["--reduce", "two-phase+symmetry", "--search", "dfs"]).contains("two-phase"));
    assert!(refused(&["--reduce", "symmetry", "--preserve", "ltl"]).contains("does not go with"));
    assert!(refused(&["--reduce", "none", "--symmetry", "full"]).contains("--symmetry has no meaning"));
    assert!(refused(&["--symmetry", "best"]).contains("there is no strategy"));
}

#[test]
fn the_line_that_breaks_it_is_named() {
    let path = model("counterexamples/raw_stack.pml");
    let text = |path: &str| String::from_utf8_lossy(&spinor(&["symmetry", path]).stdout).into_owned();
    assert!(text(&path).contains("P (0), P (1), P (2) can change places"));
    let micro = model("micro/process_pid_again.pml");
    assert!(!text(&micro).is_empty());
}

#[test]
fn a_promise_that_is_not_kept_is_an_error() {
    let directory = std::env::temp_dir().join(format!("spinor-promise-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("m.pml").to_string_lossy().into_owned();
    let run = |text: &str, arguments: &[&str]| {
        std::fs::write(&path, text).expect("a file");
        let output = spinor(&[arguments, &["--no-warnings", &path]].concat());
        let shown = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&shown).into_owned())
    };
    let kept = "/*@ symmetric P */\nbyte x;\nactive [2] proctype P() { do :: x = 1 - x od }\n";
    let (code, shown) = run(kept, &["symmetry"]);
    assert!(code == Some(0) && shown.contains("kept: the promise of"), "{shown}");
    assert_eq!(run(kept, &["check", "--no-trail"]).0, Some(0));
    let broken = "/*@ symmetric P */\nbyte x;\nactive [2] proctype P() {\n\tx = _pid + x\n}\n";
    for command in [&["symmetry"][..], &["check", "--reduce", "none"]] {
        let (code, shown) = run(broken, command);
        assert!(code == Some(2) && shown.contains("m.pml:4: it is computed with"), "{shown}");
    }
    let (code, shown) = run("/*@ symmetric Q */\nactive proctype P() { skip }\n", &["check"]);
    assert!(code == Some(2) && shown.contains("there is no proctype 'Q'"), "{shown}");
    std::fs::remove_dir_all(&directory).expect("the directory goes");
}
