//! States of the corpus beside SPIN with the same optimisation.

use std::fs;
use std::path::Path;
use std::time::Duration;

use spinor_exec::{Packing, Simplify};
use spinor_explore::{Plan, Quiet, check};
use spinor_jit::Native;
use spinor_syntax::diagnostic::has_errors;

use super::{Options, REDUCTIONS};
use crate::agree::Disk;
use crate::corpus::{Corpus, Model};
use crate::known;
use crate::parallel;
use crate::scratch::Scratch;
use crate::spin::{self, Limits};

/// What SPIN is told so that it merges statements only, resets dead variables only, or does both; and
/// so that it does neither, but what its data flow analysis does.
const SPIN: [&[&str]; 4] = [&["-o1", "-o2"], &["-o1", "-o3"], &["-o1"], &["-o2", "-o3"]];

/// The counts of a model; none where a limit was reached.
struct Row {
    name: String,
    ours: [Option<u64>; 4],
    spin: [Option<u64>; 4],
}

/// Prints a table; false if any count is greater than SPIN's.
pub(super) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let corpus = Corpus::load(root, options.only.as_deref())?;
    println!("| model | all | merge | SPIN | dead | SPIN | both | SPIN | SPIN, data flow |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut greater = 0;
    let one = |index: usize| row(&corpus.models[index], options.seconds);
    parallel::for_each(corpus.models.len(), options.jobs, one, |row| {
        if let Some(row) = row {
            greater += u64::from(row.is_greater());
            println!("{}", row.text());
        }
    });
    println!("{greater} greater than SPIN's");
    Ok(greater == 0)
}

/// `None` if the front end refuses the model, or SPIN is not to be trusted on it.
fn row(model: &Model, seconds: u64) -> Option<Row> {
    if known::spin_fault(&model.name).is_some() {
        return None;
    }
    let text = String::from_utf8_lossy(&fs::read(&model.path).ok()?).into_owned();
    let (compiled, diagnostics) = spinor_model::compile(&model.path.to_string_lossy(), &text, &[], &Disk);
    if has_errors(&diagnostics) {
        return None;
    }
    let count = |simplify| stored(&compiled, simplify, seconds);
    let [merge, dead, both] = REDUCTIONS.map(|(_, simplify)| count(simplify));
    let ours = [count(Simplify::default()), merge, dead, both];
    Some(Row { name: model.name.clone(), ours, spin: SPIN.map(|flags| spins(&model.path, flags, seconds)) })
}

/// States that are stored, if the search is complete.
fn stored(model: &spinor_model::Model, simplify: Simplify, seconds: u64) -> Option<u64> {
    let max_time = Some(Duration::from_secs(seconds));
    let plan = Plan { keep_going: true, max_violations: 1, max_time, max_memory: Some(3 << 30), ..Plan::default() };
    let report = check(Native::simplified(model, Packing::Bits, simplify), None, model, &plan, &mut Quiet);
    report.stopped.is_none().then_some(report.statistics.stored)
}

fn spins(model: &Path, flags: &[&str], seconds: u64) -> Option<u64> {
    let scratch = Scratch::new("reduce").ok()?;
    let limits = Limits { seconds, depth: 1_000_000, table: 20 };
    Some(spin::verify_with(model, scratch.path(), limits, flags).ok()?.facts.stored)
}

impl Row {
    fn is_greater(&self) -> bool {
        let pairs = self.ours[1..].iter().zip(&self.spin);
        pairs.filter_map(|(ours, spin)| Some((ours.as_ref()?, spin.as_ref()?))).any(|(ours, spin)| ours > spin)
    }

    fn text(&self) -> String {
        let show = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        let mut cells = vec![self.name.clone(), show(self.ours[0])];
        for n in 0..3 {
            cells.extend([show(self.ours[n + 1]), show(self.spin[n])]);
        }
        cells.push(show(self.spin[3]));
        let mark = if self.is_greater() { " GREATER" } else { "" };
        format!("| {} |{mark}", cells.join(" | "))
    }
}
