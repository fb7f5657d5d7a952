//! Random programs, run by both checkers; what differs is made small.

mod channels;
mod compare;
mod compounds;
mod declare;
mod expressions;
mod features;
mod generate;
mod print;
mod program;
mod scope;
mod shrink;
mod statements;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;

use crate::parallel;
use crate::scratch;
use crate::spin;
use crate::spinor::Spinor;
use compare::{Class, Difference, Pair, Verdict};
use features::Features;

/// What `fuzz` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many programs to write.
    #[arg(long, value_name = "N", default_value_t = 100)]
    models: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only the program with this number, and print it.
    #[arg(long, value_name = "I")]
    index: Option<u64>,
    /// Save small differing programs in this folder.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Programs with exactly these constructs, separated by commas.
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Programs to run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// How many differing programs to make small; the others are only named.
    #[arg(long, value_name = "N", default_value_t = 20)]
    shrink: usize,
    /// Ask SPIN only: a test of the generator.
    #[arg(long)]
    spin_only: bool,
    /// Name every program that is of no use, with the reason.
    #[arg(long)]
    verbose: bool,
}

/// Compares the checkers on random programs; false if any differs.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    if !spin::is_installed() {
        return Err("SPIN or a C compiler is missing".to_owned());
    }
    let features = options.features.as_deref().map(Features::parse).transpose()?;
    let spinor = if options.spin_only { None } else { Some(Spinor::locate(root)?) };
    let pair = Pair { spinor };
    let (first, count) = options.index.map_or((0, options.models), |index| (index, 1));
    if options.index.is_some() {
        println!("{}", print(&generate::generate(options.seed, first, features)));
    }
    let mut tally = Tally::default();
    let to_shrink = AtomicUsize::new(options.shrink);
    parallel::for_each(
        usize::try_from(count).map_err(|error| error.to_string())?,
        options.jobs,
        |offset| {
            let index = first + offset as u64;
            let program = generate::generate(options.seed, index, features);
            (index, examine(&pair, program, &to_shrink))
        },
        |(index, outcome)| tally.add(index, outcome, options),
    );
    tally.print();
    Ok(tally.is_clean())
}

/// The text of a random program.
pub(crate) fn program(seed: u64, index: u64) -> String {
    print(&generate::generate(seed, index, None))
}

pub(crate) use generate::generate_reducible;
pub(crate) use print::print;
pub(crate) use program::Program;
pub(crate) use shrink::shrink;

/// The outcome for one program.
enum Outcome {
    /// Both say the same; so many states.
    Same(u64),
    /// Of no use: a kind of reason, and its text.
    Skipped(&'static str, String),
    /// A difference, and the smallest program found that shows its like; no text
    /// where enough were made small already.
    Different(Difference, String),
    /// The comparison itself failed.
    Failed(String),
}

fn examine(pair: &Pair, program: Program, to_shrink: &AtomicUsize) -> Outcome {
    match pair.judge(&print(&program)) {
        Err(message) => Outcome::Failed(message),
        Ok(Verdict::Same(facts)) => Outcome::Same(facts.stored),
        Ok(Verdict::Skipped(kind, reason)) => Outcome::Skipped(kind, reason),
        Ok(Verdict::Different(difference)) => {
            let take = |left: usize| left.checked_sub(1);
            match to_shrink.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                Ok(_) => minimise(pair, program, difference),
                Err(_) => Outcome::Different(difference, String::new()),
            }
        }
    }
}

/// Makes a differing program small, keeping to its class of difference.
fn minimise(pair: &Pair, program: Program, difference: Difference) -> Outcome {
    let class: Class = difference.class;
    let mut last = difference;
    let small = shrink(program, |candidate| match pair.judge(&print(candidate)) {
        Ok(Verdict::Different(found)) if found.class == class => {
            last = found;
            true
        }
        _ => false,
    });
    let text = print(&small);
    match spin_fault(&text) {
        Some(fault) => Outcome::Skipped(fault, text),
        None => Outcome::Different(last, text),
    }
}

/// The fault of SPIN that explains a difference, if the smallest program has what it takes.
fn spin_fault(text: &str) -> Option<&'static str> {
    let enabled = text.contains("enabled(") && (text.contains("else") || text.contains("for ("));
    enabled.then_some("SPIN at fault: enabled() of a process at an else")
}

/// What has been seen so far.
#[derive(Default)]
struct Tally {
    states: Vec<u64>,
    /// For each kind of reason: how many, and the first with its text.
    skipped: BTreeMap<&'static str, (u64, u64, String)>,
    different: u64,
    failed: u64,
}

impl Tally {
    fn add(&mut self, index: u64, outcome: Outcome, options: &Options) {
        match outcome {
            Outcome::Same(states) => self.states.push(states),
            Outcome::Skipped(kind, reason) => {
                if options.verbose {
                    println!("skipped {index}: {reason}");
                }
                self.skipped.entry(kind).or_insert((0, index, reason)).0 += 1;
            }
            Outcome::Different(difference, text) => {
                self.different += 1;
                println!("--- program {index} ({:?})\n{difference}\n{text}", difference.class);
                if let Some(folder) = &options.keep
                    && !text.is_empty()
                {
                    self.failed += u64::from(save(folder, index, &text).is_err());
                }
            }
            Outcome::Failed(message) => {
                self.failed += 1;
                println!("--- program {index}: {message}");
            }
        }
    }

    fn print(&self) {
        let compared = self.states.len() as u64 + self.different;
        let skipped: u64 = self.skipped.values().map(|(count, ..)| count).sum();
        for (kind, (count, index, reason)) in &self.skipped {
            println!("skipped {count:>4}  {kind}, first {index}: {reason}");
        }
        if !self.states.is_empty() {
            let mut states = self.states.clone();
            states.sort_unstable();
            let mean = states.iter().sum::<u64>() / states.len() as u64;
            let quartile = |part: usize| states[(states.len() - 1) * part / 4];
            let quartiles = [1, 2, 3, 4].map(quartile);
            println!("states: mean {mean}, quartiles {quartiles:?}");
        }
        println!("{compared} compared, {skipped} skipped, {} different", self.different);
    }

    fn is_clean(&self) -> bool {
        self.different == 0 && self.failed == 0
    }
}

fn save(folder: &Path, index: u64, text: &str) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    scratch::write(&folder.join(format!("fuzz-{index}.pml")), text)
}
