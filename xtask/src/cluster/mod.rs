//! Searches by several processes beside those of one: counts, faults, speed, and what many machines would do.

mod counts;
mod kills;
mod namespaces;
mod run;
mod simulate;
mod speed;

use crate::corpus::Corpus;
use crate::spinor::Spinor;
use clap::Args;
use std::path::{Path, PathBuf};

/// What `cluster` is asked to do. Without options, counts are compared.
#[derive(Args)]
pub(crate) struct Options {
    /// Each process in a network namespace of its own (needs root and iproute2); also cuts a connection.
    #[arg(long, conflicts_with_all = ["kills", "speed", "simulate"])]
    namespaces: bool,
    /// Kill a process at a random moment, so many times, and see what becomes of the search.
    #[arg(long, value_name = "N", conflicts_with_all = ["speed", "simulate"])]
    kills: Option<u64>,
    /// Counters of the model whose search is killed: each adds a factor of 127 to its states.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..6))]
    counters: u8,
    /// Two processes beside two threads: states a second.
    #[arg(long, conflicts_with = "simulate")]
    speed: bool,
    /// Measure what states, messages and levels cost, and what that means for 10, 100 and 1,000 machines.
    #[arg(long)]
    simulate: bool,
    /// How often each side is measured.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only models whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Runs what is asked; false if something is wrong.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let spinor = Spinor::locate(root)?;
    if let Some(kills) = options.kills {
        return kills::run(&spinor, kills, (options.counters, options.seed));
    }
    if options.simulate {
        return simulate::run(&spinor);
    }
    let names = if options.speed { &speed::MODELS[..] } else { &counts::MODELS[..] };
    let models = models(root, names, options.only.as_deref())?;
    if models.is_empty() {
        println!("skipped: the shared models are not here");
        return Ok(true);
    }
    if options.speed {
        return speed::run(&spinor, &models, options.runs);
    }
    counts::run(&spinor, &models, options.namespaces)
}

/// Models of the corpus by their names.
fn models(root: &Path, names: &[&str], only: Option<&str>) -> Result<Vec<(String, PathBuf)>, String> {
    let corpus = Corpus::load(root, Some("beem/"))?;
    let is_meant = |name: &str| names.iter().any(|it| name.ends_with(it)) && only.is_none_or(|it| name.contains(it));
    let models = corpus.models.into_iter().filter(|model| is_meant(&model.name));
    Ok(models.map(|model| (model.name, model.path)).collect())
}
