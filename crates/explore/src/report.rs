//! What came of a search.

use spinor_exec::Move;
use spinor_model::{ProctypeId, StatementId};
use std::time::Duration;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution violates anything that was checked.
    Holds,
    /// An execution was found that violates something.
    Violated,
    /// Neither is known: the report says why.
    Undecided,
}

/// How far the answer can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// All reachable states were visited, none was confused with another.
    Exact,
    /// Some were not visited.
    Partial,
}

/// Why a search ended before all states were visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A violation was found.
    Violation,
    /// The limit on memory.
    Memory,
    /// The limit on time.
    Time,
    /// The limit on depth cut some paths.
    Depth,
    /// An atomic sequence that never ends was not followed to where it leads.
    EndlessAtomic,
    /// The user.
    Interrupted,
    /// The store holds as many states as it can number.
    StoreFull,
}

/// What kind of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// An assertion does not hold.
    Assertion,
    /// Processes wait for ever, and not where they may.
    InvalidEndState,
    /// A fault of the model.
    Fault,
}

impl ViolationKind {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::Fault => "fault",
        }
    }
}

/// An execution that violates something.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// What, in plain words.
    pub message: String,
    /// The moves from the first state; the last one shows it.
    pub moves: Vec<Move>,
}

/// Counts, as SPIN counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Different states.
    pub stored: u64,
    /// How often a state was reached that was known.
    pub matched: u64,
    /// The greatest number of steps from the first state, on the paths that were followed.
    pub depth: usize,
    /// Bytes reserved for states.
    pub states_bytes: usize,
    /// Bytes reserved in all: states, stack or queue, and links.
    pub total_bytes: usize,
    /// Time of the search.
    pub time: Duration,
}

impl Statistics {
    /// States stored and matched: one more than the steps that were walked.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.stored + self.matched
    }
}

/// A statement that was never executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// Whose.
    pub proctype: ProctypeId,
    /// Which.
    pub statement: StatementId,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// The violations, in the order in which they were found.
    pub violations: Vec<Violation>,
    /// How many there were, those that were not kept included.
    pub errors: u64,
    /// How many there were of each kind.
    pub kinds: Vec<(ViolationKind, u64)>,
    /// Why the search ended early, if it did.
    pub stopped: Option<StopReason>,
    /// The counts.
    pub statistics: Statistics,
    /// Statements that were never executed.
    pub unreached: Vec<Unreached>,
}

impl Report {
    /// The answer, as far as the search itself goes.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.errors > 0 {
            Verdict::Violated
        } else if self.stopped.is_some() {
            Verdict::Undecided
        } else {
            Verdict::Holds
        }
    }

    /// How far the search went.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        if self.stopped.is_some() { Guarantee::Partial } else { Guarantee::Exact }
    }
}
