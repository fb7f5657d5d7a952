//! No counterexample without replay.

use crate::report::{Violation, ViolationKind};
use spinor_exec::{FindingKind, Interpreter, Replay, ReplayError};

/// Replays a violation by the reference interpreter.
///
/// # Errors
/// If the moves are no execution of the model, or do not show what they should: a defect of the
/// tool, never of the model.
pub fn confirm(interpreter: &mut Interpreter<'_>, violation: &Violation) -> Result<(), ReplayError> {
    if violation.moves.is_empty() && violation.kind == ViolationKind::Fault {
        // An initial value is at fault: there is nothing to replay.
        return Ok(());
    }
    let mut replay = Replay::new(interpreter)?;
    let mut rest = &violation.moves[..];
    let mut last = Vec::new();
    while !rest.is_empty() {
        let step = replay.step(rest)?;
        rest = &rest[step.moves.len()..];
        last = step.findings;
    }
    let shown = match violation.kind {
        ViolationKind::Assertion => last.iter().any(|finding| matches!(finding, FindingKind::Assertion(_))),
        ViolationKind::Fault => last.iter().any(|finding| matches!(finding, FindingKind::Fault(_))),
        ViolationKind::InvalidEndState => replay.is_stuck() && !replay.is_valid_end(),
    };
    if shown {
        return Ok(());
    }
    let reason = format!("it does not show the {}", violation.kind.name());
    Err(ReplayError { after: violation.moves.len(), reason })
}
