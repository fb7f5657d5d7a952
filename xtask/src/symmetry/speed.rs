//! The time that a state costs with symmetry and without, for five processes.
//!
//! The models count something modulo D in each process, so that representatives are many: what is made ready for a search,
//! and native code, do not count then. Time is that of the processor, so that other programs do not count either.

use super::table::{Found, compile, search};
use spinor_explore::reduce::sound::Parts;
use spinor_explore::{Observer, Progress};
use spinor_model::Model;
use std::fs;
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

/// A search is stopped after so many states.
const MOST: u64 = 2_000_000;

struct Until;

impl Observer for Until {
    fn observe(&mut self, progress: &Progress) -> bool {
        progress.stored < MOST
    }
}

/// A search and the seconds that it took.
type Timed = (Found, f64);

/// Prints the table: medians of so many repetitions.
pub(super) fn print(root: &Path, runs: usize) -> Result<bool, String> {
    println!(
        "| model | D | stored | with symmetry | ns a state | with symmetry | ratio | least to most | steps a state | with symmetry | ns a step | with symmetry |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, d) in MODELS {
        let model = compile(root, name, &[("N", N), ("D", d)])?;
        let mut pairs = Vec::new();
        for _ in 0..runs {
            pairs.push((timed(&model, false)?, timed(&model, true)?));
        }
        println!("{}", row(name, d, &mut pairs));
    }
    Ok(true)
}

fn timed(model: &Model, symmetry: bool) -> Result<Timed, String> {
    let before = seconds()?;
    let found = search(model, Parts { symmetry, ..Parts::default() }, None, &mut Until)?;
    Ok((found, seconds()? - before))
}

/// Seconds of the processor that this process has taken: the fields 14 and 15 of its state, in hundredths.
fn seconds() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/stat").map_err(|error| format!("/proc/self/stat: {error}"))?;
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|it| it.parse().ok()).collect();
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

fn row(name: &str, d: u32, pairs: &mut [(Timed, Timed)]) -> String {
    let ratio = |it: &(Timed, Timed)| each(&it.1).0 / each(&it.0).0;
    pairs.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let middle = &pairs[pairs.len() / 2];
    let (plain, symmetric) = (each(&middle.0), each(&middle.1));
    let stored = |(found, _): &Timed| {
        format!("{}{}", found.statistics.stored, if found.is_complete { "" } else { " (stopped)" })
    };
    format!(
        "| {name} | {d} | {} | {} | {:.0} | {:.0} | {:.1} | {:.1} to {:.1} | {:.1} | {:.1} | {:.0} | {:.0} |",
        stored(&middle.0),
        stored(&middle.1),
        plain.0,
        symmetric.0,
        ratio(middle),
        ratio(&pairs[0]),
        ratio(&pairs[pairs.len() - 1]),
        plain.1,
        symmetric.1,
        plain.0 / plain.1,
        symmetric.0 / symmetric.1,
    )
}

/// Nanoseconds and steps for each stored state.
fn each((found, seconds): &Timed) -> (f64, f64) {
    let stored = found.statistics.stored as f64;
    (seconds * 1e9 / stored, found.statistics.transitions() as f64 / stored)
}
