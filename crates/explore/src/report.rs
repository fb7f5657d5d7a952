//! What came of a search.

use crate::plan::StoreKind;
use crate::symmetry::SymmetryReport;
use serde::{Deserialize, Serialize};
use spinor_exec::Move;
use spinor_model::{ProctypeId, StatementId};
use spinor_store::{CacheStatistics, Replacement};
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
    /// All reachable states were visited, or as many as a sound reduction needs; none was confused with another.
    Exact,
    /// Some were not visited.
    Partial,
    /// Some may not have been visited, because they were taken for others.
    Probabilistic,
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
    /// All states of the cache are on the stack of the search.
    CacheFull,
    /// An execution ends with a fault of the model, so it is not known how it would go on.
    Fault,
    /// There are more processes than fairness can watch.
    Processes,
    /// Another process of the search cannot be reached any more.
    Lost,
}

/// What kind of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ViolationKind {
    /// An assertion does not hold.
    Assertion,
    /// Processes wait for ever, and not where they may.
    InvalidEndState,
    /// Sends and receives do not follow the trace, or follow a `notrace` to its end.
    Trace,
    /// A fault of the model.
    Fault,
    /// An execution goes through an accepting cycle of a claim for ever.
    AcceptanceCycle,
    /// An execution goes round for ever without progress.
    NonProgressCycle,
    /// An execution leads a claim to its end.
    ClaimEnd,
}

impl ViolationKind {
    /// All of them.
    pub const ALL: [ViolationKind; 7] = [
        ViolationKind::Assertion,
        ViolationKind::InvalidEndState,
        ViolationKind::Trace,
        ViolationKind::Fault,
        ViolationKind::AcceptanceCycle,
        ViolationKind::NonProgressCycle,
        ViolationKind::ClaimEnd,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::Trace => "trace",
            ViolationKind::Fault => "fault",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::ClaimEnd => "claim-end",
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
    /// How the execution goes along with a claim, if it violates one.
    pub lasso: Option<Lasso>,
}

impl Violation {
    /// How many moves come before those that are repeated for ever, if any are.
    #[must_use]
    pub fn cycle_start(&self) -> Option<usize> {
        let Lasso { steps, cycle } = self.lasso.as_ref()?;
        cycle.map(|cycle| steps[..cycle].iter().map(|step| step.moves).sum())
    }
}

/// An execution beside a claim, as steps of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The steps.
    pub steps: Vec<LassoStep>,
    /// How many of them come before those that are repeated for ever; nothing if the claim ends.
    pub cycle: Option<usize>,
}

/// A step of system and claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LassoStep {
    /// How many moves the system makes; none if it cannot move.
    pub moves: usize,
    /// Which of the edges at its state the claim takes.
    pub claim: u32,
}

/// Counts, as SPIN counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Different states.
    pub stored: u64,
    /// How often a state was reached that was known.
    pub matched: u64,
    /// The greatest number of steps from the first state, on the paths that were followed.
    pub depth: usize,
    /// Bytes of the vectors of all states, before the store made them smaller.
    pub vectors_bytes: u64,
    /// Bytes reserved for states.
    pub states_bytes: usize,
    /// Bytes reserved in all at the most: states, stack or queue, and links.
    pub total_bytes: usize,
    /// The share of the table of states that is filled.
    pub fill: f64,
    /// Time of the search.
    pub time: Duration,
    /// How much of it passed before there was native code.
    pub code: Duration,
}

impl Statistics {
    /// States stored and matched: one more than the steps that were walked.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.stored + self.matched
    }

    /// The average size of the vector of a state.
    #[must_use]
    pub fn vector_bytes(&self) -> f64 {
        self.vectors_bytes as f64 / self.stored.max(1) as f64
    }

    /// What the store needs for a state.
    #[must_use]
    pub fn bytes_per_state(&self) -> f64 {
        self.states_bytes as f64 / self.stored.max(1) as f64
    }
}

/// One of several searches with a lossy store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The seed of its hash functions.
    pub seed: u64,
    /// What it counted.
    pub statistics: Statistics,
    /// How often it took a state for another, in expectation: what lies behind these is not counted.
    pub expected_omissions: f64,
}

/// What a cache did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheReport {
    /// How many states it holds at most.
    pub room: u32,
    /// Which state was forgotten.
    pub replacement: Replacement,
    /// What it counted.
    pub statistics: CacheStatistics,
    /// Whether states were visited so often again that a little less room may take much more time.
    pub explosion: bool,
}

/// What one process of a search by several had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peer {
    /// States that it stored.
    pub stored: u64,
    /// Bytes that it reserved at the most.
    pub bytes: usize,
    /// States that it sent to others.
    pub sent: u64,
    /// States that others sent to it.
    pub received: u64,
    /// Seconds that it waited for others.
    pub idle_s: f64,
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
    /// Where the states were kept in the end.
    pub store: StoreKind,
    /// How far the store can be trusted.
    pub trust: spinor_store::Guarantee,
    /// What else happened that the user should know.
    pub notes: Vec<String>,
    /// The single searches of a swarm; none if there was one search.
    pub runs: Vec<Run>,
    /// What the cache did, if there was one.
    pub cache: Option<CacheReport>,
    /// Why the search may have lost states, if its algorithm can.
    pub incomplete: Option<&'static str>,
    /// What each process did, if several searched together.
    pub peers: Vec<Peer>,
    /// Which states stood for others, if that was tried.
    pub symmetry: Option<SymmetryReport>,
}

impl Report {
    /// The report of no search at all.
    #[must_use]
    pub fn nothing(store: StoreKind) -> Report {
        Report {
            violations: Vec::new(),
            errors: 0,
            kinds: Vec::new(),
            stopped: None,
            statistics: Statistics::default(),
            unreached: Vec::new(),
            store,
            trust: spinor_store::Guarantee::Exact,
            notes: Vec::new(),
            runs: Vec::new(),
            cache: None,
            incomplete: None,
            peers: Vec::new(),
            symmetry: None,
        }
    }

    /// The answer, as far as the search itself goes.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.errors > 0 {
            Verdict::Violated
        } else if self.stopped.is_some() || self.store.is_lossy() || self.incomplete.is_some() {
            Verdict::Undecided
        } else {
            Verdict::Holds
        }
    }

    /// How far the search went.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        if self.stopped.is_some() || self.incomplete.is_some() {
            Guarantee::Partial
        } else if self.store.is_lossy() {
            Guarantee::Probabilistic
        } else {
            Guarantee::Exact
        }
    }

    /// The chance that any state was omitted since it was taken for another, at most. How many are missed then nobody
    /// knows: what lies behind an omitted state is not met, either.
    #[must_use]
    pub fn omission_chance(&self) -> f64 {
        // Some wrong answer is at most as likely as their expected number. A swarm has visited all states if any of
        // its searches has.
        let alone = |expected: f64| expected.clamp(0.0, 1.0);
        match self.runs.iter().map(|run| alone(run.expected_omissions)).reduce(|all, one| all * one) {
            Some(chance) => chance,
            None => alone(self.trust.expected_omissions()),
        }
    }
}
