//! The interface between what a model does and how it is searched.

use crate::fault::Fault;
use spinor_model::{ProctypeId, StatementId};
use std::ops::Range;
use std::slice::ChunksExact;
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
    /// An event that the trace does not allow, or that completes a `notrace`, in words.
    Trace(Arc<str>),
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
    /// How many of them count as executed: a handshake whose receiver is at fault did not take place.
    pub executed: usize,
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
    /// The edge it begins with, counted at the location where the process stood.
    pub edge: u32,
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
    /// It takes more steps than whoever asked has patience for.
    Steps,
}

/// How the expansion of a state ended. One that was cut short says nothing of who can move: it is no dead end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// It is complete: nobody can move.
    #[default]
    Stuck,
    /// It is complete: somebody can move.
    Moved,
    /// It is not complete.
    Cut(Cut),
}

impl Ended {
    /// How all ended of which this is a part, and `other` the rest.
    #[must_use]
    pub fn and(self, other: Ended) -> Ended {
        match (self, other) {
            (Ended::Cut(cut), Ended::Stuck | Ended::Moved | Ended::Cut(_))
            | (Ended::Stuck | Ended::Moved, Ended::Cut(cut)) => Ended::Cut(cut),
            (Ended::Moved, Ended::Stuck | Ended::Moved) | (Ended::Stuck, Ended::Moved) => Ended::Moved,
            (Ended::Stuck, Ended::Stuck) => Ended::Stuck,
        }
    }

    /// Why it is not complete, if it is not.
    #[must_use]
    pub fn cut(self) -> Option<Cut> {
        match self {
            Ended::Cut(cut) => Some(cut),
            Ended::Stuck | Ended::Moved => None,
        }
    }
}

/// All that can follow a state. The memory is used again.
#[derive(Debug, Default)]
pub struct Expansion {
    /// How far it may go; set by whoever asks.
    pub limit: Limit,
    /// After how many steps it is left to somebody who is faster.
    pub patience: Option<u64>,
    /// Why it is not complete, if it is not.
    pub(crate) cut: Option<Cut>,
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
    /// Whether any process could move, as far as it is known by now.
    pub(crate) moved: bool,
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

    /// Whether a limit is reached after so many steps, while so many bytes are used for what is not done.
    pub(crate) fn over_limit(&self, steps: u64, bytes: usize) -> Option<Cut> {
        let bytes = bytes + self.vectors.len() + self.moves.len() * size_of::<Move>();
        if bytes > self.limit.bytes {
            return Some(Cut::Bytes);
        }
        if self.patience.is_some_and(|patience| steps > patience) {
            return Some(Cut::Steps);
        }
        self.limit.until.filter(|&until| Instant::now() >= until).map(|_| Cut::Time)
    }

    /// Whether anybody can move, if that is known.
    #[must_use]
    pub fn ended(&self) -> Ended {
        match (self.cut, self.moved) {
            (Some(cut), _) => Ended::Cut(cut),
            (None, true) => Ended::Moved,
            (None, false) => Ended::Stuck,
        }
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

/// A state that can follow, packed. Its vector is in [`Successors::words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// The first word of its vector.
    pub at: u32,
    /// How many bytes the vector has.
    pub bytes: u32,
    /// How many of these count when states are compared.
    pub key: u32,
    /// How many moves lead to it.
    pub distance: u32,
}

/// What follows one or more states, packed. The memory is used again.
#[derive(Debug, Default)]
pub struct Successors {
    /// How far one expansion may go; set by whoever asks.
    pub limit: Limit,
    /// After how many steps it is left to somebody who is faster.
    pub patience: Option<u64>,
    /// The vectors. Each begins at a word; what is left of its last word is 0.
    pub words: Vec<u64>,
    /// The successors, those of one state in SPIN's order.
    pub list: Vec<Next>,
    /// Where in the list those of each state end, if states were expanded in a row.
    pub ends: Vec<u32>,
    /// What went wrong on the way.
    pub findings: Vec<PackedFinding>,
}

/// Something wrong, with the moves that lead to it from the state that was expanded.
#[derive(Clone, Debug)]
pub struct PackedFinding {
    /// What.
    pub kind: FindingKind,
    /// The moves, the last of which shows it.
    pub moves: Vec<Move>,
}

/// What else is known of a state that was expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Whether any process could move at all.
    pub ended: Ended,
    /// How many moves deep the search inside of atomic sequences and rendezvous went.
    pub deepest: u32,
    /// The greatest distance among the successors; 0 if there are none.
    pub furthest: u32,
}

impl Expanded {
    /// What is known of the next state as well: whether that moved, and the greatest numbers of all.
    #[inline]
    #[must_use]
    pub fn then(self, next: Expanded) -> Expanded {
        let (deepest, furthest) = (self.deepest.max(next.deepest), self.furthest.max(next.furthest));
        Expanded { deepest, furthest, ..next }
    }
}

impl Successors {
    /// Forgets everything but the limit.
    pub fn clear(&mut self) {
        self.words.clear();
        self.list.clear();
        self.ends.clear();
        self.findings.clear();
    }

    /// Whether there is more to say of the state that was expanded last than what can follow it.
    #[inline]
    #[must_use]
    pub fn has_news(&self, expanded: Expanded) -> bool {
        expanded.ended != Ended::Moved || !self.findings.is_empty()
    }

    /// The words of a successor.
    #[inline]
    #[must_use]
    pub fn vector(&self, next: &Next) -> &[u64] {
        let at = next.at as usize;
        &self.words[at..at + next.bytes.div_ceil(8) as usize]
    }
}

/// How states are told to engines of the same model in other processes, where shapes have other numbers.
pub trait Atlas {
    /// What stands for a shape everywhere.
    fn signature(&self, shape: u32) -> u64;

    /// A state, in a form that does not depend on numbers of shapes.
    fn describe(&self, state: &[u64]) -> Vec<u8>;

    /// The number of the shape of a state that was described.
    fn shape_of(&self, description: &[u8]) -> u32;

    /// The state that was described, packed: its words, its bytes, and how many of these count in comparisons.
    fn state_of(&self, description: &[u8]) -> (Vec<u64>, u32, u32);
}

/// What a model does, state by state. States are packed vectors, whose meaning only the engine
/// knows. An engine belongs to one thread.
pub trait Semantics: Send {
    /// The first state, as the only successor in `out`.
    ///
    /// # Errors
    /// If an initial value is at fault.
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault>;

    /// Appends all that can follow a state.
    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded;

    /// Appends all that can follow states in a row. Stops if there are `enough` successors, or if something is to be
    /// said of a state: nobody could move, it was cut, or something went wrong. What is known of the last, and the
    /// greatest numbers of all that were expanded.
    fn expand_row(&mut self, states: &mut ChunksExact<'_, u64>, enough: usize, out: &mut Successors) -> Expanded {
        expand_each(self, states, enough, out)
    }

    /// How many processes there are in a state.
    fn processes(&self, state: &[u64]) -> usize;

    /// Appends what [`Self::expand`] appends for one process; a rendezvous belongs to its sender.
    /// `timeout` is false: a state in which nothing moves is expanded as a whole only. All parts
    /// together, from the highest pid down, are the whole.
    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded;

    /// The same, and appends for each successor the edge that it begins with, counted at the location
    /// where the process stands; that of the sender for a rendezvous.
    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded;

    /// Whether a state without successors is one the model may end in.
    fn is_valid_end(&mut self, state: &[u64]) -> bool;

    /// The moves that lead from a state to its `n`-th successor.
    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move>;

    /// An execution of the model for a path of moves between states of this engine, from the first on; `rests` if
    /// nothing can move at its end. The same path, unless a state stands for others.
    fn executed(&mut self, path: Vec<Move>, _rests: bool) -> Vec<Move> {
        path
    }

    /// An execution of the model for a lasso through states of this engine: its steps, of which those from `cycle` on are
    /// repeated for ever. They are gone round until the execution is back where they began. The same steps, unless a
    /// state stands for others; nothing if some step is not found.
    fn unrolled(&mut self, steps: Vec<Vec<Move>>, _cycle: usize) -> Option<Vec<Vec<Move>>> {
        Some(steps)
    }

    /// Whether a statement was executed in any expansion of this engine.
    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool;

    /// What packed states mean elsewhere.
    fn atlas(&self) -> &dyn Atlas;

    /// An engine for another thread that shares what can be shared, so that packed states mean the
    /// same to both.
    fn fork(&self) -> Self
    where
        Self: Sized;
}

/// [`Semantics::expand_row`], state by state.
pub fn expand_each<S: Semantics + ?Sized>(
    engine: &mut S,
    states: &mut ChunksExact<'_, u64>,
    enough: usize,
    out: &mut Successors,
) -> Expanded {
    let mut all = Expanded::default();
    for state in states {
        all = all.then(engine.expand(state, out));
        out.ends.push(out.list.len() as u32);
        if out.list.len() >= enough || out.has_news(all) {
            break;
        }
    }
    all
}
