//! No counterexample without replay.

use crate::report::{Violation, ViolationKind};
use spinor_exec::{ATOMIC_LIMIT, Fault, FindingKind, Interpreter, Replay, ReplayError};
use std::collections::HashSet;

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
    // An atomic sequence that never ends is shown by a state inside of it that comes back.
    let endless = violation.message == Fault::EndlessAtomic.to_string();
    let mut repeats = false;
    let mut seen = HashSet::new();
    while !rest.is_empty() {
        let step = replay.step(rest)?;
        rest = &rest[step.moves.len()..];
        last = step.findings;
        repeats = endless && !seen.insert((replay.vector().to_vec(), replay.holder()));
    }
    let shown = match violation.kind {
        ViolationKind::Assertion => last.iter().any(|finding| matches!(finding, FindingKind::Assertion(_))),
        ViolationKind::Fault if endless => {
            replay.holder().is_some() && (repeats || violation.moves.len() > ATOMIC_LIMIT)
        }
        ViolationKind::Fault => last.iter().any(|finding| matches!(finding, FindingKind::Fault(_))),
        ViolationKind::InvalidEndState => replay.is_stuck() && !replay.is_valid_end(),
    };
    if shown {
        return Ok(());
    }
    let reason = format!("it does not show the {}", violation.kind.name());
    Err(ReplayError { after: violation.moves.len(), reason })
}
