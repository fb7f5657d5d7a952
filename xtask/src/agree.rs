//! Native code and the interpreter on the whole corpus and on random programs: every successor of
//! every state must be the same.

use std::fs;
use std::path::Path;

use clap::Args;
use spinor_exec::{Packing, Simplify};
use spinor_jit::twin::{Agreement, compare};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::source::sibling;
use spinor_syntax::{Define, Loader};

use crate::corpus::Corpus;
use crate::fuzz;
use crate::parallel;

/// What `agree` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many random programs to compare.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    models: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// States of each model.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    states: usize,
    /// Only models whose name contains this text, and no random programs.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Leave the corpus out.
    #[arg(long)]
    random_only: bool,
    /// Models to compare at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Reads files from the disk.
pub(crate) struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        let found = sibling(path, from);
        let bytes = fs::read(&found).map_err(|error| error.to_string())?;
        Ok((String::from_utf8_lossy(&bytes).into_owned(), found.to_string_lossy().into_owned()))
    }
}

/// What has been seen so far.
#[derive(Default)]
struct Tally {
    models: u64,
    refused: u64,
    different: u64,
    total: Agreement,
}

/// Compares the engines; false if they differ anywhere.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let mut tally = Tally::default();
    if !options.random_only {
        let corpus = Corpus::load(root, options.only.as_deref())?;
        let one = |index: usize| {
            let model = &corpus.models[index];
            let text = fs::read(&model.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let text = text.unwrap_or_default();
            (model.name.clone(), examine(&model.path.to_string_lossy(), &text, options))
        };
        parallel::for_each(corpus.models.len(), options.jobs, one, |(name, outcome)| tally.add(&name, outcome));
    }
    if options.only.is_none() {
        let count = usize::try_from(options.models).map_err(|error| error.to_string())?;
        let one = |index: usize| {
            let text = fuzz::program(options.seed, index as u64);
            (format!("program {index}"), examine("random.pml", &text, options))
        };
        parallel::for_each(count, options.jobs, one, |(name, outcome)| tally.add(&name, outcome));
    }
    let Agreement { states, successors, deferred } = tally.total;
    println!(
        "{} models, {states} states, {successors} successors, {deferred} states left to the interpreter; \
         {} not accepted, {} different",
        tally.models, tally.refused, tally.different
    );
    Ok(tally.different == 0)
}

/// Compares the engines on one model in both layouts, and with states left out; nothing if the front end
/// refuses it.
fn examine(name: &str, text: &str, options: &Options) -> Option<Result<Agreement, String>> {
    let defines: [Define; 0] = [];
    let (model, diagnostics) = spinor_model::compile(name, text, &defines, &Disk);
    if has_errors(&diagnostics) {
        return None;
    }
    let runs = [
        (Packing::Bytes, Simplify::default(), options.states / 4),
        (Packing::Bytes, Simplify { merge: true, dead: false }, options.states / 4),
        (Packing::Bits, Simplify { merge: false, dead: true }, options.states / 4),
        (Packing::Bits, Simplify { merge: true, dead: true }, options.states),
        (Packing::Bits, Simplify::default(), options.states),
    ];
    let one = |_, (packing, simplify, states)| compare(&model, packing, simplify, states);
    Some(runs.into_iter().try_fold(Agreement::default(), one))
}

impl Tally {
    fn add(&mut self, name: &str, outcome: Option<Result<Agreement, String>>) {
        match outcome {
            None => self.refused += 1,
            Some(Err(message)) => {
                self.different += 1;
                println!("--- {name}: {message}");
            }
            Some(Ok(agreement)) => {
                self.models += 1;
                self.total.states += agreement.states;
                self.total.successors += agreement.successors;
                self.total.deferred += agreement.deferred;
            }
        }
    }
}
