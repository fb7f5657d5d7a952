//! Reductions that are known from the text: what they leave out must not be missed.
//!
//! Random programs are searched by the simplest means, without and with each reduction. Then the
//! models of the corpus are counted beside SPIN with the same optimisation switched on.

mod beside;
mod cost;
mod counts;
mod judge;
mod space;

use std::path::Path;

use clap::Args;
use spinor_exec::{Packing, Simplify};
use spinor_syntax::diagnostic::has_errors;

use crate::agree::Disk;
use crate::{fuzz, parallel};
use judge::Judgement;

/// What `reduce` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many random programs to search.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    models: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only the program with this number, and print it.
    #[arg(long, value_name = "I")]
    index: Option<u64>,
    /// Programs with more states are left out.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    states: usize,
    /// Count the states of the corpus beside SPIN instead.
    #[arg(long)]
    counts: bool,
    /// Count the states of the corpus with `--reduce auto` beside SPIN with its reduction instead.
    #[arg(long, conflicts_with = "counts")]
    beside: bool,
    /// Measure what a state costs with `--reduce auto` and with none instead, as the median of so many runs.
    #[arg(long, value_name = "RUNS", conflicts_with_all = ["counts", "beside"])]
    cost: Option<usize>,
    /// Only models of the corpus whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Seconds for each count.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Programs to search at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Each reduction alone, and all together.
pub(crate) const REDUCTIONS: [(&str, Simplify); 3] = [
    ("merge", Simplify { merge: true, dead: false }),
    ("dead", Simplify { merge: false, dead: true }),
    ("merge,dead", Simplify { merge: true, dead: true }),
];

/// Searches with and without; false if anything is missed.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    if let Some(runs) = options.cost {
        return cost::run(root, runs.max(1));
    }
    if options.beside {
        return beside::run(root, options);
    }
    if options.counts {
        return counts::run(root, options);
    }
    let (first, count) = options.index.map_or((0, options.models), |index| (index, 1));
    if options.index.is_some() {
        println!("{}", fuzz::program(options.seed, first));
    }
    let mut tally = Tally::default();
    let one = |offset: usize| {
        let index = first + offset as u64;
        (index, examine(&fuzz::program(options.seed, index), options.states))
    };
    let count = usize::try_from(count).map_err(|error| error.to_string())?;
    parallel::for_each(count, options.jobs, one, |(index, outcome)| tally.add(index, outcome));
    tally.print();
    Ok(tally.different == 0)
}

/// `None` if the program is refused, is at fault before it begins, or has too many states.
fn examine(text: &str, most: usize) -> Option<Result<Judgement, String>> {
    let (model, diagnostics) = spinor_model::compile("random.pml", text, &[], &Disk);
    if has_errors(&diagnostics) {
        return None;
    }
    judge::judge(&model, Packing::Bits, most)
}

/// What has been seen so far.
#[derive(Default)]
struct Tally {
    programs: u64,
    skipped: u64,
    different: u64,
    total: Judgement,
}

impl Tally {
    fn add(&mut self, index: u64, outcome: Option<Result<Judgement, String>>) {
        match outcome {
            None => self.skipped += 1,
            Some(Err(message)) => {
                self.different += 1;
                println!("--- program {index}: {message}");
            }
            Some(Ok(judgement)) => {
                self.programs += 1;
                self.total.add(&judgement);
            }
        }
    }

    fn print(&self) {
        let Judgement { states, reduced, with_errors, replayed } = self.total;
        let reduced: Vec<String> =
            REDUCTIONS.iter().zip(reduced).map(|((name, _), states)| format!("{name} {states}")).collect();
        println!(
            "{} programs, {with_errors} of them with errors, {} skipped; {states} states, {}; {replayed} trails \
             replayed; {} different",
            self.programs,
            self.skipped,
            reduced.join(", "),
            self.different
        );
    }
}
