//! The time that a state costs with symmetry and without, for five processes.
//!
//! The models count something modulo D in each process, so that representatives are many: what is made ready for a search,
//! and native code, count little then. Searches are stopped before they end, that without symmetry sooner, so that both
//! have stored about as many states when a state costs four times as much with symmetry.

use crate::spinor::{Failure, Spinor};
use serde_json::Value;
use std::path::Path;

/// The models, and what they count modulo.
const MODELS: [(&str, u32); 7] = [
    ("mutex", 10),
    ("clients", 5),
    ("coherence", 4),
    ("leader", 10),
    ("readers", 12),
    ("philosophers", 8),
    ("ring", 15),
];

/// The number of processes.
const N: u32 = 5;

/// Seconds of a search without symmetry, and with it.
const SECONDS: [f64; 2] = [0.5, 2.0];

/// What a stored state costs.
#[derive(Clone, Copy)]
struct Each {
    stored: u64,
    nanoseconds: f64,
    steps: f64,
}

/// Prints the table: medians of so many repetitions, in turn.
pub(super) fn print(root: &Path, runs: usize) -> Result<bool, String> {
    let spinor = Spinor::locate(root)?;
    println!(
        "| model | D | stored | with symmetry | ns a state | with symmetry | ratio | least to most | steps a state | with symmetry | ns a step | with symmetry |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, d) in MODELS {
        let model = root.join("tests/symmetry").join(format!("{name}.pml"));
        let search = |reduce: &str, seconds: f64| {
            let defines = [format!("-DN={N}"), format!("-DD={d}")];
            let report = spinor.stopped(&model, reduce, &defines, seconds).map_err(|it| told(name, &it))?;
            each(&report).ok_or_else(|| format!("{name}: the report lacks a field"))
        };
        let mut pairs = Vec::new();
        for _ in 0..runs {
            pairs.push([search("none", SECONDS[0])?, search("symmetry", SECONDS[1])?]);
        }
        println!("{}", row(name, d, &mut pairs));
    }
    Ok(true)
}

fn told(name: &str, failure: &Failure) -> String {
    format!("{name}: {}", failure.message())
}

fn each(report: &Value) -> Option<Each> {
    let stored = report["states"]["stored"].as_u64()?;
    let transitions = report["states"]["transitions"].as_u64()?;
    let nanoseconds = report["time"]["search_s"].as_f64()? * 1e9 / stored as f64;
    Some(Each { stored, nanoseconds, steps: transitions as f64 / stored as f64 })
}

fn row(name: &str, d: u32, pairs: &mut [[Each; 2]]) -> String {
    let ratio = |[plain, symmetric]: &[Each; 2]| symmetric.nanoseconds / plain.nanoseconds;
    pairs.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let middle = pairs[pairs.len() / 2];
    let [plain, symmetric] = middle;
    format!(
        "| {name} | {d} | {} | {} | {:.0} | {:.0} | {:.1} | {:.1} to {:.1} | {:.1} | {:.1} | {:.0} | {:.0} |",
        plain.stored,
        symmetric.stored,
        plain.nanoseconds,
        symmetric.nanoseconds,
        ratio(&middle),
        ratio(&pairs[0]),
        ratio(&pairs[pairs.len() - 1]),
        plain.steps,
        symmetric.steps,
        plain.nanoseconds / plain.steps,
        symmetric.nanoseconds / symmetric.steps,
    )
}
