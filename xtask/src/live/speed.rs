//! Claims that hold, beside SPIN's verifier: the time of whole processes, without reduction on both sides. SPIN merges
//! statements and resets dead variables as it does by default, Spinor does not.

use crate::command;
use crate::corpus::Corpus;
use crate::scratch::Scratch;
use crate::spin;
use crate::spinor::Spinor;
use std::fs;
use std::path::Path;

/// Models with a formula for each. All are true, so that everything is searched.
const CLAIMS: [(&str, &str); 4] = [
    ("beem/peterson.4.pml", "[] <> (pos[0] < 3)"),
    ("beem/peterson.4.pml", "[] (pos[1] == 3 -> <> (pos[1] != 3))"),
    ("spin-examples/LTL/leader.pml", "<> [] (nr_leaders == 1)"),
    ("spin-examples/LTL/leader.pml", "[] <> (nr_leaders == 1)"),
];

/// How Spinor searches.
const MANNERS: [&[&str]; 3] = [&[], &["--search", "ndfs"], &["--threads", "2"]];

/// Seconds for one run.
const LIMIT: u64 = 600;

/// Prints a table with the least of so many runs, which take turns.
pub(super) fn run(root: &Path, runs: usize) -> Result<bool, String> {
    let spinor = Spinor::locate(root)?;
    println!("| model | formula | `scc` | `ndfs` | `--threads 2` | SPIN | `scc` / SPIN |");
    println!("|---|---|---|---|---|---|---|");
    for (name, formula) in CLAIMS {
        let corpus = Corpus::load(root, Some(name))?;
        let model = corpus.models.first().ok_or_else(|| format!("there is no {name}"))?;
        let text = fs::read_to_string(&model.path).map_err(|error| format!("{name}: {error}"))?;
        let [scc, ndfs, two, pan] = least(&spinor, &text, formula, runs).map_err(|error| format!("{name}: {error}"))?;
        let ratio = scc / pan;
        println!("| {name} | `{formula}` | {scc:.2} s | {ndfs:.2} s | {two:.2} s | {pan:.2} s | {ratio:.2} |");
    }
    Ok(true)
}

fn least(spinor: &Spinor, text: &str, formula: &str, runs: usize) -> Result<[f64; 4], String> {
    let scratch = Scratch::new("speed")?;
    let folder = scratch.path();
    // Another block would have to be chosen from.
    let text: String = text.lines().filter(|line| !line.starts_with("ltl ")).map(|line| format!("{line}\n")).collect();
    let model = scratch.write("model.pml", &format!("{text}ltl speed {{ {formula} }}\n"))?;
    spin::generate_with(&model, folder, &[]).map_err(|error| error.to_string())?;
    let flags = ["-O2", "-w", "-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c"];
    if command::run("gcc", &flags, folder, LIMIT)?.code != Some(0) {
        return Err("SPIN's verifier does not compile".to_owned());
    }
    let mut least = [f64::INFINITY; 4];
    for _ in 0..runs {
        for (manner, least) in MANNERS.into_iter().zip(&mut least) {
            let (report, cost) =
                spinor.measure_claim(&model, "speed", manner, LIMIT).map_err(|it| it.message().to_owned())?;
            if report["verdict"] != "holds" {
                return Err(format!("{formula}: {}", report["reason"]));
            }
            *least = least.min(cost.seconds);
        }
        let run = command::measure("./pan", &["-a", "-n", "-m1000000", "-w24"], folder, LIMIT)?;
        if !run.finished.stdout.contains("errors: 0") {
            return Err("SPIN finds an error".to_owned());
        }
        least[3] = least[3].min(run.seconds);
    }
    Ok(least)
}
