//! Counterexamples as proofs: SPIN replays Spinor's trails, Spinor replays SPIN's.

use std::path::Path;

use clap::Args;

use crate::corpus::{Corpus, Model};
use crate::facts::Kind;
use crate::known;
use crate::parallel;
use crate::scratch::Scratch;
use crate::spin::{self, Limits};
use crate::spinor::Spinor;
use crate::truth;

/// Words by which SPIN says that a replay has left the trail.
const LOST: &[&str] = &[
    "cannot find trail file",
    "error: invalid statement",
    "lost trail",
    "no matching stmnt",
    "no process",
    "stop error",
    "transition failed",
];

/// What `trails` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// Only models whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only models of at most this many states.
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    max_states: u64,
    /// Models to run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for each step of a model.
    #[arg(long, value_name = "S", default_value_t = 300)]
    seconds: u64,
}

impl Options {
    fn limits(&self) -> Limits {
        Limits { seconds: self.seconds, depth: 1_000_000, table: 20 }
    }
}

/// The outcome of one direction on one model.
enum Outcome {
    Proved(Kind),
    Failed(String),
    Skipped(String),
}

/// Replays the trails of all models with an error; false if any replay fails.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let corpus = Corpus::load(root, options.only.as_deref())?;
    let spinor = Spinor::locate(root)?;
    let (mut proved, mut failed, mut skipped) = (0, 0, 0);
    println!("{:<42} {:<24} Spinor replays SPIN's", "model", "SPIN replays Spinor's");
    parallel::for_each(
        corpus.models.len(),
        options.jobs,
        |index| {
            let model = &corpus.models[index];
            (&model.name, both_directions(model, &spinor, options))
        },
        |(name, outcomes)| {
            let Some(outcomes) = outcomes else { return };
            let cells = outcomes.each_ref().map(cell);
            println!("{name:<42} {:<24} {}", cells[0], cells[1]);
            for outcome in &outcomes {
                match outcome {
                    Outcome::Proved(_) => proved += 1,
                    Outcome::Failed(_) => failed += 1,
                    Outcome::Skipped(_) => skipped += 1,
                }
            }
        },
    );
    println!("{proved} replays ok, {failed} FAILED, {skipped} skipped");
    Ok(failed == 0)
}

fn cell(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Proved(kind) => format!("ok ({kind})"),
        Outcome::Failed(reason) => format!("FAILED: {reason}"),
        Outcome::Skipped(reason) => format!("skipped ({reason})"),
    }
}

/// Both directions, or nothing for a model without errors or out of bounds.
fn both_directions(model: &Model, spinor: &Spinor, options: &Options) -> Option<[Outcome; 2]> {
    if known::spin_fault(&model.name).is_some() {
        return None;
    }
    let facts = truth::expected(model, options.limits()).ok()?;
    if !facts.findings.is_error() || facts.stored > options.max_states {
        return None;
    }
    let flatten = |result: Result<Outcome, String>| result.unwrap_or_else(Outcome::Failed);
    Some([flatten(spin_replays(model, spinor, options)), flatten(spinor_replays(model, spinor, options))])
}

fn spin_replays(model: &Model, spinor: &Spinor, options: &Options) -> Result<Outcome, String> {
    let scratch = Scratch::new("trails")?;
    let report = spinor
        .first_error(&model.path, scratch.path(), options.seconds)
        .map_err(|failure| failure.message().to_owned())?;
    let Some(first) = report.violations.first() else {
        return Ok(Outcome::Failed("Spinor finds no error".to_owned()));
    };
    let Some(trail) = &first.spin_trail else {
        return Ok(Outcome::Failed(format!("no trail for: {}", first.message)));
    };
    // A relative path is meant from the folder of the model, where Spinor ran.
    let trail = model.path.parent().unwrap_or(Path::new(".")).join(trail);
    let output = spin::replay(&model.path, &trail, scratch.path(), options.seconds)?;
    match judge_replay(&output, first.kind) {
        Outcome::Failed(_) if !spin_replays_itself(model, options)? => {
            Ok(Outcome::Skipped("SPIN cannot replay its own trail".to_owned()))
        }
        outcome => Ok(outcome),
    }
}

/// Whether SPIN's simulator follows the trail that SPIN's verifier wrote. It has another notion
/// of `enabled()`.
fn spin_replays_itself(model: &Model, options: &Options) -> Result<bool, String> {
    let scratch = Scratch::new("trails")?;
    let Ok(Some((kind, trail))) = spin::first_error(&model.path, scratch.path(), options.limits()) else {
        return Ok(false);
    };
    let output = spin::replay(&model.path, &trail, scratch.path(), options.seconds)?;
    Ok(matches!(judge_replay(&output, kind), Outcome::Proved(_)))
}

fn spinor_replays(model: &Model, spinor: &Spinor, options: &Options) -> Result<Outcome, String> {
    let scratch = Scratch::new("trails")?;
    let first = match spin::first_error(&model.path, scratch.path(), options.limits()) {
        Ok(first) => first,
        Err(reason) => return Ok(Outcome::Skipped(reason.to_string())),
    };
    let Some((kind, trail)) = first else {
        return Ok(Outcome::Skipped("SPIN finds no error".to_owned()));
    };
    Ok(match spinor.replay(&model.path, &trail, options.seconds) {
        Ok(seen) if seen == kind => Outcome::Proved(kind),
        Ok(seen) => Outcome::Failed(format!("SPIN has {kind}, Spinor {seen}")),
        Err(failure) => Outcome::Failed(failure.message().to_owned()),
    })
}

/// Whether the output of SPIN's simulator shows an error of this kind.
fn judge_replay(output: &str, kind: Kind) -> Outcome {
    if let Some(line) = output.lines().find(|line| LOST.iter().any(|word| line.contains(word))) {
        return Outcome::Failed(line.trim().to_owned());
    }
    let reached = match kind {
        Kind::Assertion => output.contains("assertion violated"),
        Kind::EndState => has_stuck_process(output),
        Kind::Other => return Outcome::Skipped("a fault, not an error of SPIN's".to_owned()),
    };
    if reached { Outcome::Proved(kind) } else { Outcome::Failed(format!("the replay shows no {kind}")) }
}

/// Whether the processes listed after the end of the trail are as many as SPIN
/// counts, and one of them is not at a valid end state.
fn has_stuck_process(output: &str) -> bool {
    let Some((_, end)) = output.split_once("#processes: ") else { return false };
    let count = end.lines().next().and_then(|line| line.trim().parse::<usize>().ok());
    let listed: Vec<&str> = end.lines().filter(|line| line.contains(":\tproc ")).collect();
    count == Some(listed.len()) && listed.iter().any(|line| !line.contains("<valid end state>"))
}

#[cfg(test)]
mod tests {
    use super::{Outcome, judge_replay};
    use crate::facts::Kind;

    const STUCK: &str = "\
spin: trail ends after 10 steps
#processes: 2
\t\tx = 2
 10:\tproc  1 (P:1) abc.pml:2 (state 13)
 10:\tproc  0 (P:1) abc.pml:2 (state 3) <valid end state>
2 processes created";

    #[test]
    fn a_stuck_process_is_seen() {
        assert!(matches!(judge_replay(STUCK, Kind::EndState), Outcome::Proved(_)));
        assert!(matches!(judge_replay(STUCK, Kind::Assertion), Outcome::Failed(_)));
    }

    #[test]
    fn a_lost_trail_is_seen() {
        let lost = format!("{STUCK}\n\ttransition failed");
        assert!(matches!(judge_replay(&lost, Kind::EndState), Outcome::Failed(_)));
    }
}
