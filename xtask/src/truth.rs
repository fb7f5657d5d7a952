//! SPIN and Spinor side by side: the counts must agree to the last state.

use std::path::Path;

use clap::Args;

use crate::corpus::{Corpus, Model, Truth};
use crate::facts::Facts;
use crate::known;
use crate::live::claims_truth;
use crate::parallel;
use crate::scratch::Scratch;
use crate::spin::{self, Limits};
use crate::spinor::Spinor;

/// The greatest number of states of a model in the quick run.
const SAMPLE_STATES: u64 = 60_000;

/// What `truth` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Only models of at most 60,000 states: the quick run of `cargo xtask test`.
    #[arg(long)]
    sample: bool,
    /// Only models of at most this many states.
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Only models whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Models to run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds that each checker has for a model.
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// The rows about claims instead: acceptance cycles and progress.
    #[arg(long)]
    claims: bool,
    /// Memory that Spinor has for a model.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    memory: String,
}

impl Options {
    fn max_states(&self) -> u64 {
        let sample = if self.sample { SAMPLE_STATES } else { u64::MAX };
        self.max_states.unwrap_or(u64::MAX).min(sample)
    }

    fn seconds(&self) -> u64 {
        self.seconds.unwrap_or(if self.sample { 20 } else { 900 })
    }

    fn limits(&self) -> Limits {
        // A model within the sample takes SPIN well below a second.
        let seconds = if self.sample { self.seconds().min(4) } else { self.seconds() };
        Limits { seconds, depth: 1_000_000, table: 20 }
    }
}

/// The outcome of one model.
enum Outcome {
    Same(Facts),
    Different { spin: Facts, spinor: Result<Facts, String> },
    SpinFault(&'static str),
    TooLarge(u64),
    Skipped(String),
}

/// Compares all models; false if any differs.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    if options.claims {
        return claims_truth(root, options.only.as_deref(), options.seconds());
    }
    let corpus = Corpus::load(root, options.only.as_deref())?;
    let spinor = Spinor::locate(root)?;
    let mut tally = Tally::default();
    println!("{:<42} {:>10} {:>11} {:>8}  {:<15} result", "model", "stored", "transitions", "depth", "errors");
    parallel::for_each(
        corpus.models.len(),
        options.jobs,
        |index| {
            let model = &corpus.models[index];
            (&model.name, compare(model, &spinor, options))
        },
        |(name, outcome)| tally.add(name, &outcome, options.sample),
    );
    let Tally { same, different, faults, skipped } = tally;
    println!("{same} ok, {different} DIFFERENT, {faults} spin-fault, {skipped} skipped");
    Ok(different == 0)
}

#[derive(Default)]
struct Tally {
    same: usize,
    different: usize,
    faults: usize,
    skipped: usize,
}

impl Tally {
    fn add(&mut self, name: &str, outcome: &Outcome, is_sample: bool) {
        match outcome {
            Outcome::Same(facts) => {
                self.same += 1;
                print_row(name, facts, "ok");
            }
            Outcome::Different { spin, spinor } => {
                self.different += 1;
                print_row(name, spin, "DIFFERENT: SPIN");
                match spinor {
                    Ok(facts) => print_row("", facts, "           Spinor"),
                    Err(message) => println!("    Spinor: {}", message.replace('\n', "\n    ")),
                }
            }
            Outcome::SpinFault(reason) => {
                self.faults += 1;
                println!("{name:<42} spin-fault: {reason}");
            }
            Outcome::TooLarge(states) => {
                self.skipped += 1;
                if !is_sample {
                    println!("{name:<42} skipped ({states} states)");
                }
            }
            Outcome::Skipped(reason) => {
                self.skipped += 1;
                println!("{name:<42} skipped ({reason})");
            }
        }
    }
}

fn print_row(name: &str, facts: &Facts, result: &str) {
    let depth = facts.depth.map_or(String::new(), |depth| depth.to_string());
    let errors = facts.findings.to_string();
    println!("{name:<42} {:>10} {:>11} {depth:>8}  {errors:<15} {result}", facts.stored, facts.transitions);
}

fn compare(model: &Model, spinor: &Spinor, options: &Options) -> Outcome {
    if let Some(reason) = known::spin_fault(&model.name) {
        return Outcome::SpinFault(reason);
    }
    let spin = match expected(model, options.limits()) {
        Ok(facts) => facts,
        Err(reason) => return Outcome::Skipped(reason),
    };
    if spin.stored > options.max_states() {
        return Outcome::TooLarge(spin.stored);
    }
    let report = match spinor.verify(&model.path, options.seconds(), &options.memory) {
        Ok(report) => report,
        Err(failure) => {
            let spinor = Err(failure.message().to_owned());
            return Outcome::Different { spin, spinor };
        }
    };
    let facts = report.facts;
    match report.undecided {
        Some(reason) => Outcome::Different { spin, spinor: Err(format!("undecided: {reason}")) },
        None if spin.counts_agree(&facts) && spin.findings_agree(&facts) => Outcome::Same(facts),
        None => Outcome::Different { spin, spinor: Ok(facts) },
    }
}

/// What SPIN says of a model, from a table or by a run.
pub(crate) fn expected(model: &Model, limits: Limits) -> Result<Facts, String> {
    match &model.truth {
        Truth::Table(facts) => Ok(facts.clone()),
        Truth::Unusable(reason) => Err(reason.clone()),
        Truth::Live => {
            let scratch = Scratch::new("truth")?;
            spin::verify(&model.path, scratch.path(), limits)
                .map(|report| report.facts)
                .map_err(|reason| reason.to_string())
        }
    }
}
