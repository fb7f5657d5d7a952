//! Whether an execution that is known leads a claim to its end.

use super::claim::Claim;
use spinor_exec::{Interpreter, Move, Packing, Propositions, Replay, ReplayError, Shapes, Simplify};
use spinor_model::Model;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whether a claim can come to its end beside these moves: at each state between two steps it takes all edges that it
/// can, at the last one, too.
///
/// # Errors
/// If the moves are no execution of the model.
pub fn ends_claim(model: &Model, claim: &Claim, moves: &[Move]) -> Result<bool, ReplayError> {
    let shapes = Arc::new(Shapes::new(model, Packing::default(), Simplify::default()));
    let mut propositions = Propositions::new(shapes, claim.atoms.clone());
    let mut interpreter = Interpreter::new(model);
    let mut replay = Replay::new(&mut interpreter)?;
    let mut rest = moves;
    let mut at = BTreeSet::from([claim.initial]);
    loop {
        if replay.holder().is_none() {
            let letter = propositions.letter_of(replay.vector());
            // Where a proposition is at fault the claim goes nowhere.
            let steps = at.iter().filter_map(|&state| claim.steps(state, letter).ok().map(|steps| (state, steps)));
            let target = |state: u32, step: u32| claim.states[state as usize][step as usize].target;
            let targets: Vec<Option<u32>> =
                steps.flat_map(|(state, steps)| steps.into_iter().map(move |step| target(state, step))).collect();
            if targets.contains(&None) {
                return Ok(true);
            }
            at = targets.into_iter().flatten().collect();
        }
        if rest.is_empty() {
            return Ok(false);
        }
        let made = replay.step(rest)?.moves.len();
        rest = &rest[made..];
    }
}
