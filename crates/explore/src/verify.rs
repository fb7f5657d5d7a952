//! No counterexample without replay.

use crate::report::{Violation, ViolationKind};
use spinor_exec::{Fault, FindingKind, Interpreter, Replay, ReplayError, ReplayStep};
use std::collections::HashSet;

/// Replays a violation by the reference interpreter.
///
/// # Errors
/// If the moves are no execution of the model, or do not show what they should: a defect of the
/// tool, never of the model.
pub fn confirm(interpreter: &mut Interpreter<'_>, violation: &Violation) -> Result<(), ReplayError> {
    if violation.kind == ViolationKind::Fault && interpreter.initial().is_err() {
        // An initial value is at fault: there is nothing to replay.
        return Ok(());
    }
    let mut replay = Replay::new(interpreter)?;
    let mut rest = &violation.moves[..];
    let mut last = None;
    // An atomic sequence that never ends is shown by a state inside of it that comes back.
    let endless = violation.message == Fault::EndlessAtomic.to_string();
    let mut repeats = false;
    let mut seen = HashSet::new();
    while !rest.is_empty() {
        let step = replay.step(rest)?;
        rest = &rest[step.moves.len()..];
        repeats = endless && !seen.insert((replay.vector().to_vec(), replay.holder()));
        last = Some(step);
    }
    let shown = if endless {
        replay.holder().is_some() && repeats
    } else {
        ending(&mut replay, last.as_ref()).iter().any(|(kind, _)| *kind == violation.kind)
    };
    if shown {
        return Ok(());
    }
    let reason = format!("it does not show the {}", violation.kind.name());
    Err(ReplayError { after: violation.moves.len(), reason })
}

/// What is wrong at the end of a replay: what its last step showed, what is at fault before any
/// further step, or that no further step is possible and should be.
pub fn ending(replay: &mut Replay<'_, '_>, last: Option<&ReplayStep>) -> Vec<(ViolationKind, String)> {
    let mut findings: Vec<FindingKind> = last.map_or_else(Vec::new, |step| step.findings.clone());
    let at_rest = replay.options().findings.iter().filter(|finding| finding.moves.is_empty());
    findings.extend(at_rest.map(|finding| finding.kind.clone()));
    let mut wrong: Vec<(ViolationKind, String)> = findings.into_iter().map(describe).collect();
    let ended = last.is_none_or(|step| step.after.is_some());
    if ended && replay.is_stuck() && !replay.is_valid_end() {
        wrong.push((ViolationKind::InvalidEndState, "invalid end state".into()));
    }
    wrong
}

/// The kind of violation that a finding is, and what to say of it.
#[must_use]
pub fn describe(finding: FindingKind) -> (ViolationKind, String) {
    match finding {
        FindingKind::Assertion(text) => (ViolationKind::Assertion, format!("{text} does not hold")),
        FindingKind::Trace(text) => (ViolationKind::Trace, text.to_string()),
        FindingKind::Fault(fault) => (ViolationKind::Fault, fault.to_string()),
    }
}
