//! Speed beside SPIN's verifier: the same unreduced search, both in turn.

use std::path::Path;

use clap::Args;

use crate::corpus::shared_models;
use crate::scratch::Scratch;
use crate::spin;
use crate::spinor::Spinor;

/// What is measured when nothing is named.
const MODELS: &[&str] = &["peterson.4", "leader_filters.5"];

/// Seconds for one search.
const SECONDS: u64 = 600;

/// Options of `bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// How often both are run, in turn.
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    /// Models of the shared folder, by their names without ending.
    models: Vec<String>,
}

/// Prints a table of rates and their ratios; the figures are for people, nothing fails by them.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let Some(folder) = shared_models(root) else {
        return Err("there is no folder of models beside the project".to_owned());
    };
    let spinor = Spinor::locate(root)?;
    let named: Vec<String> = match &options.models[..] {
        [] => MODELS.iter().map(ToString::to_string).collect(),
        models => models.to_vec(),
    };
    println!("{:<24} {:>12} {:>12} {:>8}  ratios of the runs", "model", "SPIN st/s", "Spinor st/s", "ratio");
    for name in named {
        let model = folder.join("beem").join(format!("{name}.pml"));
        measure(&spinor, &name, &model, options.runs)?;
    }
    Ok(true)
}

fn measure(spinor: &Spinor, name: &str, model: &Path, runs: usize) -> Result<(), String> {
    let scratch = Scratch::new("bench")?;
    spin::build_fast(model, scratch.path()).map_err(|error| error.to_string())?;
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        theirs.push(spin::rate(scratch.path(), SECONDS).map_err(|error| error.to_string())?);
        ours.push(spinor.rate(model, SECONDS).map_err(|failure| failure.message().to_owned())?);
    }
    let ratios: Vec<f64> = theirs.iter().zip(&ours).map(|(spin, spinor)| spinor / spin).collect();
    let spread: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    let (spin, spinor) = (median(&theirs), median(&ours));
    println!("{name:<24} {spin:>12.0} {spinor:>12.0} {:>8.2}  {}", spinor / spin, spread.join(" "));
    Ok(())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
