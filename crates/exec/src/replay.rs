//! A trail is a list of moves; replaying it is the proof that it is an execution of the model.

use crate::interpreter::Interpreter;
use crate::semantics::{Ended, Expansion, FindingKind, Move};
use std::fmt;

/// Walks along a trail, move by move.
#[derive(Debug)]
pub struct Replay<'i, 'm> {
    interpreter: &'i mut Interpreter<'m>,
    vector: Vec<u8>,
    holder: Option<u8>,
    taken: usize,
    expansion: Expansion,
}

/// What one step of a replay showed.
#[derive(Debug)]
pub struct ReplayStep {
    /// The moves: one, or sender and receiver of a rendezvous.
    pub moves: Vec<Move>,
    /// The state before.
    pub before: Vec<u8>,
    /// The state after; none if the last move is at fault.
    pub after: Option<Vec<u8>>,
    /// What the step showed to be wrong.
    pub findings: Vec<FindingKind>,
}

/// A trail that is no execution of the model.
#[derive(Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// How many moves could be made.
    pub after: usize,
    /// Why not more.
    pub reason: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the trail does not fit the model after {} moves: {}", self.after, self.reason)
    }
}

impl<'i, 'm> Replay<'i, 'm> {
    /// Begins at the first state of the model.
    ///
    /// # Errors
    /// If the model has no first state.
    pub fn new(interpreter: &'i mut Interpreter<'m>) -> Result<Replay<'i, 'm>, ReplayError> {
        let vector = interpreter.initial().map_err(|fault| ReplayError { after: 0, reason: fault.to_string() })?;
        Ok(Replay { interpreter, vector, holder: None, taken: 0, expansion: Expansion::default() })
    }

    /// The present state.
    #[must_use]
    pub fn vector(&self) -> &[u8] {
        &self.vector
    }

    /// The process that is inside an atomic sequence.
    #[must_use]
    pub fn holder(&self) -> Option<u8> {
        self.holder
    }

    /// The interpreter.
    #[must_use]
    pub fn interpreter(&self) -> &Interpreter<'m> {
        self.interpreter
    }

    /// Gives the next character of `STDIN`.
    pub fn set_input(&mut self, character: i32) {
        self.interpreter.set_input(character);
    }

    /// What can be done at the present state.
    pub fn options(&mut self) -> &Expansion {
        self.interpreter.steps(&self.vector, self.holder, &mut self.expansion);
        &self.expansion
    }

    /// Whether nothing can be done at the present state.
    pub fn is_stuck(&mut self) -> bool {
        self.options().ended() == Ended::Stuck
    }

    /// Whether the present state is one in which the model may end.
    pub fn is_valid_end(&mut self) -> bool {
        let vector = self.vector.clone();
        self.interpreter.is_valid_end(&vector)
    }

    /// Makes the next step of `moves`, which takes one move, or two for a rendezvous.
    ///
    /// # Errors
    /// If the model cannot make it.
    pub fn step(&mut self, moves: &[Move]) -> Result<ReplayStep, ReplayError> {
        self.options();
        let expansion = &self.expansion;
        let chosen = expansion.successors.iter().find(|it| moves.starts_with(expansion.path(&it.moves)));
        let length = match chosen {
            Some(successor) => successor.moves.len(),
            None => {
                // A fault without a move is there before and after, and is no step.
                let is_step = |path: &[Move]| !path.is_empty() && moves.starts_with(path);
                let fault = expansion.findings.iter().find(|it| is_step(expansion.path(&it.moves)));
                match fault {
                    Some(finding) => finding.moves.len(),
                    None => return Err(self.refused(moves)),
                }
            }
        };
        let findings = expansion
            .findings
            .iter()
            .filter(|finding| *expansion.path(&finding.moves) == moves[..length])
            .map(|finding| finding.kind.clone())
            .collect();
        let after = chosen.map(|successor| (expansion.vector(successor).to_vec(), successor.holder));
        let before = self.vector.clone();
        if let Some((vector, holder)) = &after {
            self.vector.clone_from(vector);
            self.holder = *holder;
        }
        self.taken += length;
        let after = after.map(|(vector, _)| vector);
        Ok(ReplayStep { moves: moves[..length].to_vec(), before, after, findings })
    }

    fn refused(&self, moves: &[Move]) -> ReplayError {
        let reason = match moves.first() {
            Some(next) => format!("process {} cannot execute its statement", next.pid),
            None => "there is no move".into(),
        };
        ReplayError { after: self.taken, reason }
    }
}
