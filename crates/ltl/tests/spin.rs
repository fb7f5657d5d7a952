//! Never claims against the real SPIN: it accepts them, and its verdicts are those of its own
//! translation. Left out, aloud, where SPIN or a C compiler is absent.

#![allow(clippy::print_stderr, reason = "what is left out is said")]

use spinor_ltl::{Formula, Limits, parse, translate};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Small systems over p and q: all of them go on for ever.
const MODELS: &[&str] = &[
    "bool p, q;\nactive proctype A() { do :: p = 1 :: p = 0 od }\nactive proctype B() { do :: q = 1 :: q = 0 od }\n",
    "bool p, q;\nactive proctype A() { do :: atomic { !q -> p = 1 }; q = 1; p = 0; q = 0 od }\n",
    "bool p = 1, q;\nactive proctype A() { do :: p -> p = 0 :: !p -> q = 1; break od; do :: q -> skip od }\n",
    "bool p, q;\nactive proctype A() { p = 1; q = 1; p = 0; do :: q = 0 :: q = 1 od }\n",
];

const FORMULAS: &[&str] = &[
    "<> p",
    "[] p",
    "[] <> p",
    "<> [] q",
    "p U q",
    "[] (p -> <> q)",
    "[] (p -> (p U q))",
    "[] <> p -> [] <> q",
    "<> (p && <> q)",
    "!p W q",
    "p V (q || !p)",
    "(<> [] p) || ([] <> q)",
    "[] (p -> !q) && [] <> q",
    "<> q -> (!p U q)",
    "(p U q) || [] !q",
];

/// A directory of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("spinor-ltl-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a scratch directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a program prints, if it is there and succeeds.
fn output(program: &str, arguments: &[&str], directory: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(directory).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn compiler() -> Option<&'static str> {
    ["tcc", "cc", "gcc"].into_iter().find(|program| Command::new(program).arg("-v").output().is_ok())
}

fn is_here(program: &str) -> bool {
    Command::new(program).arg("-V").output().is_ok()
}

/// `spin -f` gives all infix operators but U and V one precedence: parentheses everywhere.
fn in_parentheses(formula: &Formula, atoms: &[String]) -> String {
    formula.text(&|atom| format!("({})", atoms[atom.0 as usize]))
}

/// The number of errors of a model with a claim.
fn errors(model: &str, claim: &str, compiler: &str, directory: &Path) -> Option<u32> {
    fs::write(directory.join("m.pml"), format!("{model}{claim}")).expect("a file");
    let _ = fs::remove_file(directory.join("pan"));
    output("spin", &["-a", "m.pml"], directory)?;
    output(compiler, &["-DNOREDUCE", "-w", "-o", "pan", "pan.c"], directory)?;
    let report = output("./pan", &["-a", "-m100000"], directory)?;
    let tail = report.split("errors: ").nth(1)?;
    tail.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn spin_accepts_never_claims() {
    if !is_here("spin") {
        eprintln!("left out: there is no spin");
        return;
    }
    let scratch = Scratch::new("accept");
    let directory = scratch.0.as_path();
    let declarations: String = (0..7).map(|atom| format!("bool p{atom};\n")).collect();
    let lines = include_str!("../patterns/literature.tsv").lines().filter(|line| !line.starts_with('#'));
    for text in lines.filter_map(|line| line.split('\t').nth(1)).chain(["true", "false", "p0 && !p0"]) {
        let parsed = parse(text).expect("a formula");
        let automaton = translate(&parsed.formula, Limits::default()).expect("a small automaton");
        let claim = automaton.never_claim(text, &|atom| parsed.atoms[atom.0 as usize].clone()).expect("a small claim");
        let model = format!("{declarations}active proctype A() {{ do :: p0 = !p0 od }}\n{claim}");
        fs::write(directory.join("m.pml"), &model).expect("a file");
        let accepted = output("spin", &["-a", "m.pml"], directory);
        assert!(accepted.is_some(), "{text}\n{claim}");
    }
}

#[test]
fn verdicts_are_those_of_spins_own_translation() {
    let Some(compiler) = compiler().filter(|_| is_here("spin")) else {
        eprintln!("left out: there is no spin or no C compiler");
        return;
    };
    let scratch = Scratch::new("verdicts");
    let directory = scratch.0.as_path();
    let mut violated = 0;
    for (index, text) in FORMULAS.iter().enumerate() {
        // Each formula with two of the models: a compiler runs for each.
        for model in [MODELS[index % MODELS.len()], MODELS[(index + 1) % MODELS.len()]] {
            let parsed = parse(text).expect("a formula");
            let negation = parsed.formula.not();
            let automaton = translate(&negation, Limits::default()).expect("a small automaton");
            let own =
                automaton.never_claim(text, &|atom| parsed.atoms[atom.0 as usize].clone()).expect("a small claim");
            let formula = in_parentheses(&negation, &parsed.atoms);
            // W is not known to `spin -f`.
            let formula = formula.replace("(!(p) W (q))", "((q) V (!(p) || (q)))");
            let spins = output("spin", &["-f", &formula], directory).expect("SPIN translates");
            let ours = errors(model, &own, compiler, directory);
            assert!(ours.is_some(), "{text}\n{own}");
            assert_eq!(ours, errors(model, &spins, compiler, directory), "{text}\n{model}\n{own}\n{spins}");
            violated += ours.unwrap_or(0);
        }
    }
    assert!(violated > 0);
}
