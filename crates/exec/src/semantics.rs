//! The interface between what a model does and how it is searched.

use crate::fault::Fault;
use spinor_model::{ProctypeId, StatementId};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// A statement executed by a process: one line of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The process.
    pub pid: u8,
    /// What it is an instance of.
    pub proctype: ProctypeId,
    /// Its statement, in its proctype.
    pub statement: StatementId,
}

/// Something wrong that a step showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// An assertion that does not hold, as printed.
    Assertion(Arc<str>),
    /// A fault of the model.
    Fault(Fault),
}

/// Something wrong, with the moves that lead to it from the state that was expanded.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// The moves, the last of which shows it, in [`Expansion::moves`].
    pub moves: Range<usize>,
    /// How many successors came before it.
    pub after: usize,
}

/// A state that can follow: no rendezvous is half done, and no atomic sequence can go on.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Its vector, in [`Expansion::vectors`].
    pub vector: Range<usize>,
    /// The moves that lead to it, in [`Expansion::moves`]. Their number is its distance in SPIN's
    /// count of depth.
    pub moves: Range<usize>,
    /// The process that must go on alone, when single steps are asked for.
    pub holder: Option<u8>,
}

/// How far one expansion may go: an atomic sequence with many choices has successors without
/// number.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Bytes of successors.
    pub bytes: usize,
    /// The time at which it must be done.
    pub until: Option<Instant>,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { bytes: usize::MAX, until: None }
    }
}

/// Why an expansion is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The successors take too much memory.
    Bytes,
    /// Time was up.
    Time,
}

/// All that can follow a state. The memory is used again.
#[derive(Debug, Default)]
pub struct Expansion {
    /// How far it may go; set by whoever asks.
    pub limit: Limit,
    /// Why it is not complete, if it is not.
    pub cut: Option<Cut>,
    /// The successors, in SPIN's order.
    pub successors: Vec<Successor>,
    /// What went wrong on the way.
    pub findings: Vec<Finding>,
    /// Their vectors.
    pub vectors: Vec<u8>,
    /// Their moves.
    pub moves: Vec<Move>,
    /// How many moves deep the search inside of atomic sequences and rendezvous went.
    pub deepest: usize,
    /// Whether any process could move at all.
    pub moved: bool,
    /// Whether the process that is inside an atomic sequence could go on, when single steps are
    /// asked for.
    pub held: bool,
}

impl Expansion {
    pub(crate) fn clear(&mut self) {
        self.successors.clear();
        self.findings.clear();
        self.vectors.clear();
        self.moves.clear();
        self.deepest = 0;
        self.moved = false;
        self.cut = None;
        self.held = false;
    }

    /// Whether a limit is reached.
    pub(crate) fn over_limit(&self) -> Option<Cut> {
        let bytes = self.vectors.len() + self.moves.len() * size_of::<Move>();
        if bytes > self.limit.bytes {
            return Some(Cut::Bytes);
        }
        self.limit.until.filter(|&until| Instant::now() >= until).map(|_| Cut::Time)
    }

    /// The vector of a successor.
    #[must_use]
    pub fn vector(&self, successor: &Successor) -> &[u8] {
        &self.vectors[successor.vector.clone()]
    }

    /// A list of moves.
    #[must_use]
    pub fn path(&self, moves: &Range<usize>) -> &[Move] {
        &self.moves[moves.clone()]
    }
}

/// What a model does, state by state.
pub trait Semantics {
    /// The first state.
    ///
    /// # Errors
    /// If an initial value is at fault.
    fn initial(&mut self) -> Result<Vec<u8>, Fault>;

    /// All that can follow a state.
    fn expand(&mut self, vector: &[u8], out: &mut Expansion);

    /// Whether a state without successors is one the model may end in.
    fn is_valid_end(&mut self, vector: &[u8]) -> bool;

    /// How many bytes at the front of a vector do not count when states are compared.
    fn hidden(&self) -> usize;
}
