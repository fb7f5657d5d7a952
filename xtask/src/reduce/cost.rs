//! Time a state of `--reduce auto` beside `none`, on models of the corpus of which little can be left out.

use std::path::Path;

use crate::corpus::Corpus;
use crate::spinor::Spinor;

/// Models of which `auto` leaves out less than a tenth.
const MODELS: [&str; 6] = ["phils.4", "telephony.3", "elevator2.2", "rushhour.3", "hanoi.2", "adding.2"];

/// Seconds for one search.
const LIMIT: f64 = 600.0;

/// Prints a table with medians of so many runs, which take turns.
pub(super) fn run(root: &Path, runs: usize) -> Result<bool, String> {
    let spinor = Spinor::locate(root)?;
    println!("| model | states of `none` | kept | ns a state | with `auto` | ratio | least to most |");
    println!("|---|---|---|---|---|---|---|");
    for name in MODELS {
        let corpus = Corpus::load(root, Some(&format!("beem/{name}.pml")))?;
        let model = corpus.models.first().ok_or_else(|| format!("there is no {name}"))?;
        let search = |reduce: &str| {
            let report = spinor.stopped(&model.path, reduce, &[], LIMIT).map_err(|it| it.message().to_owned())?;
            let states = report["states"]["stored"].as_f64().ok_or("the report lacks its states")?;
            let seconds = report["time"]["search_s"].as_f64().ok_or("the report lacks its time")?;
            Ok::<(f64, f64), String>((states, seconds * 1e9 / states))
        };
        let mut pairs = Vec::new();
        for _ in 0..runs {
            pairs.push((search("none")?, search("auto")?));
        }
        let ratios = sorted(pairs.iter().map(|(none, auto)| auto.1 / none.1));
        let none = sorted(pairs.iter().map(|it| it.0.1));
        let auto = sorted(pairs.iter().map(|it| it.1.1));
        let ((states, _), (kept, _)) = pairs[0];
        println!(
            "| {name} | {states} | {:.2} | {:.0} | {:.0} | {:.2} | {:.2} to {:.2} |",
            kept / states,
            none[runs / 2],
            auto[runs / 2],
            auto[runs / 2] / none[runs / 2],
            ratios[0],
            ratios[runs - 1],
        );
    }
    Ok(true)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}
