//! What all searches share: expanding a state, noting what is wrong, counting, limits.

use crate::observe::{Observer, Progress};
use crate::plan::{Order, Plan};
use crate::report::{Report, Statistics, StopReason, Unreached, Violation, ViolationKind};
use crate::verify::describe;
use spinor_exec::{Cut, Expansion, Fault, FindingKind, Limit, Move, Semantics};
use spinor_model::{Model, ProctypeId, StatementId};
use spinor_store::{Exact, StateId};
use std::time::{Duration, Instant};

/// Expansions between two looks at the clock.
const TICK: u64 = 1 << 10;

/// Bytes of successors that one state may have when no limit on memory is given.
const EXPANSION_BYTES: usize = 4 << 30;

/// A step of a path: from a state by its n-th successor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) from: StateId,
    pub(crate) successor: u32,
}

/// A state that was reached, as the frontier keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) id: StateId,
    /// How many moves from the state that was expanded.
    pub(crate) distance: u32,
}

/// A search in progress, apart from the order of visits.
pub(crate) struct Explorer<'a, S> {
    pub(crate) semantics: S,
    pub(crate) store: Exact,
    pub(crate) plan: &'a Plan,
    pub(crate) statistics: Statistics,
    observer: &'a mut dyn Observer,
    model: &'a Model,
    expansion: Expansion,
    violations: Vec<Violation>,
    errors: u64,
    kinds: Vec<(ViolationKind, u64)>,
    stopped: Option<StopReason>,
    /// The search must end now.
    halted: bool,
    /// For each proctype, which statements were executed.
    executed: Vec<Vec<bool>>,
    ticks: u64,
    begun: Instant,
}

/// How the state that is being expanded was reached.
pub(crate) trait Path {
    fn links(&self) -> Vec<Link>;
}

impl<'a, S: Semantics> Explorer<'a, S> {
    pub(crate) fn new(semantics: S, model: &'a Model, plan: &'a Plan, observer: &'a mut dyn Observer) -> Self {
        let store = Exact::new(semantics.hidden());
        Explorer {
            semantics,
            store,
            plan,
            statistics: Statistics::default(),
            observer,
            model,
            expansion: Expansion::default(),
            violations: Vec::new(),
            errors: 0,
            kinds: Vec::new(),
            stopped: None,
            halted: false,
            executed: model.proctypes.iter().map(|it| vec![false; it.statements.len()]).collect(),
            ticks: 0,
            begun: Instant::now(),
        }
    }

    /// The first state, stored; `None` if the model has none.
    pub(crate) fn begin(&mut self) -> Option<StateId> {
        match self.semantics.initial() {
            Ok(vector) => Some(self.store.insert(&vector).id),
            Err(fault) => {
                self.add_violation(ViolationKind::Fault, before_start(&fault), Vec::new());
                None
            }
        }
    }

    /// Expands a state. The successors are stored, and listed in `reached`.
    pub(crate) fn expand(&mut self, state: StateId, depth: usize, path: &dyn Path, reached: &mut Vec<Reached>) {
        let mut expansion = std::mem::take(&mut self.expansion);
        expansion.limit = self.limit();
        self.semantics.expand(self.store.get(state), &mut expansion);
        match expansion.cut {
            Some(Cut::Bytes) => self.halt(StopReason::Memory),
            Some(Cut::Time) => self.halt(StopReason::Time),
            None => {}
        }
        self.statistics.depth = self.statistics.depth.max(depth + expansion.deepest);
        for step in &expansion.moves {
            self.executed[usize::from(step.proctype.0)][step.statement.0 as usize] = true;
        }
        if !expansion.findings.is_empty() {
            self.note_findings(&expansion, depth, path);
        }
        if !expansion.moved && self.plan.end_states {
            self.check_end(state, depth, path);
        }
        for successor in &expansion.successors {
            let inserted = self.store.insert(expansion.vector(successor));
            let distance = successor.moves.len();
            // The last state of a path counts for the depth only when it is new; those inside
            // of it always do.
            self.statistics.depth = self.statistics.depth.max(depth + distance - 1);
            reached.push(Reached { id: inserted.id, distance: distance as u32 });
        }
        self.expansion = expansion;
    }

    fn note_findings(&mut self, expansion: &Expansion, depth: usize, path: &dyn Path) {
        for finding in &expansion.findings {
            if finding.kind == FindingKind::Fault(Fault::EndlessAtomic) {
                // The other paths through the sequence were given up with it.
                self.stopped.get_or_insert(StopReason::EndlessAtomic);
            }
            let (kind, message) = describe(finding.kind.clone());
            if kind == ViolationKind::Assertion && !self.plan.assertions {
                continue;
            }
            let length = depth + finding.moves.len();
            self.note(kind, message, length, path, expansion.path(&finding.moves));
        }
    }

    fn check_end(&mut self, state: StateId, depth: usize, path: &dyn Path) {
        if !self.semantics.is_valid_end(self.store.get(state)) {
            self.note(ViolationKind::InvalidEndState, "invalid end state".into(), depth, path, &[]);
        }
    }

    /// Counts a violation, and keeps its trail if that is wanted.
    fn note(&mut self, kind: ViolationKind, message: String, length: usize, path: &dyn Path, last: &[Move]) {
        if self.plan.keep_going {
            let moves: usize = self.violations.iter().map(|known| known.moves.len()).sum();
            if self.violations.len() >= self.plan.max_violations || moves > self.plan.max_moves {
                self.count(kind);
                return;
            }
        } else if self.is_beaten(length) || !self.violations.is_empty() && self.plan.order == Order::DepthFirst {
            return;
        }
        let mut moves = self.moves_along(&path.links());
        moves.extend_from_slice(last);
        if self.plan.keep_going {
            return self.add_violation(kind, message, moves);
        }
        // Breadth-first search goes on until nothing shorter can come.
        self.violations.clear();
        self.errors = 0;
        self.kinds.clear();
        self.add_violation(kind, message, moves);
        self.stopped = Some(StopReason::Violation);
    }

    /// Whether a violation is known that is not longer, and one is enough.
    pub(crate) fn is_beaten(&self, length: usize) -> bool {
        !self.plan.keep_going && self.violations.first().is_some_and(|best| best.moves.len() <= length)
    }

    fn add_violation(&mut self, kind: ViolationKind, message: String, moves: Vec<Move>) {
        self.count(kind);
        self.violations.push(Violation { kind, message, moves });
    }

    fn count(&mut self, kind: ViolationKind) {
        self.errors += 1;
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.kinds.push((kind, 1)),
        }
    }

    /// The moves along a path, found by expanding its states again.
    fn moves_along(&mut self, links: &[Link]) -> Vec<Move> {
        let mut expansion = Expansion::default();
        let mut moves = Vec::new();
        for link in links {
            self.semantics.expand(self.store.get(link.from), &mut expansion);
            let successor = &expansion.successors[link.successor as usize];
            moves.extend_from_slice(expansion.path(&successor.moves));
        }
        moves
    }

    /// How far one expansion may go.
    fn limit(&self) -> Limit {
        let bytes = match self.plan.max_memory {
            Some(limit) => limit.saturating_sub(self.store.memory()).max(1 << 20),
            None => EXPANSION_BYTES,
        };
        Limit { bytes, until: self.plan.max_time.and_then(|time| self.begun.checked_add(time)) }
    }

    /// The search ends here, unless a violation was found before.
    fn halt(&mut self, reason: StopReason) {
        self.halted = true;
        if self.stopped != Some(StopReason::Violation) {
            self.stopped = Some(reason);
        }
    }

    /// Some path was not followed, but the search goes on.
    pub(crate) fn cut(&mut self) {
        self.stopped.get_or_insert(StopReason::Depth);
    }

    /// Whether the search must end now. `extra` is the memory of the frontier.
    pub(crate) fn must_stop(&mut self, depth: usize, waiting: usize, extra: usize) -> bool {
        let found = self.stopped == Some(StopReason::Violation) && self.plan.order == Order::DepthFirst;
        if found || self.halted {
            return true;
        }
        self.ticks += 1;
        if !self.ticks.is_multiple_of(TICK) {
            return false;
        }
        let memory = self.store.memory() + extra;
        self.statistics.total_bytes = self.statistics.total_bytes.max(memory);
        let progress = Progress {
            stored: self.statistics.stored,
            matched: self.statistics.matched,
            depth,
            waiting,
            memory,
            errors: self.errors,
        };
        let reason = if !self.observer.observe(&progress) {
            StopReason::Interrupted
        } else if self.plan.max_memory.is_some_and(|limit| memory > limit) {
            StopReason::Memory
        } else if self.plan.max_time.is_some_and(|limit| self.elapsed() > limit) {
            StopReason::Time
        } else if self.store.len() >= u32::MAX as usize - (1 << 20) {
            StopReason::StoreFull
        } else {
            return false;
        };
        self.halt(reason);
        true
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(crate) fn finish(mut self, extra: usize) -> Report {
        self.statistics.time = self.elapsed();
        self.statistics.states_bytes = self.store.memory();
        self.statistics.total_bytes = self.statistics.total_bytes.max(self.store.memory() + extra);
        Report {
            unreached: self.unreached(),
            violations: self.violations,
            errors: self.errors,
            kinds: self.kinds,
            stopped: self.stopped,
            statistics: self.statistics,
        }
    }

    fn unreached(&self) -> Vec<Unreached> {
        let mut unreached = Vec::new();
        for (index, proctype) in self.model.proctypes.iter().enumerate().filter(|(_, it)| it.is_process()) {
            let mut statements: Vec<StatementId> = proctype
                .locations
                .iter()
                .flat_map(|location| location.edges.iter().map(|edge| edge.statement))
                .filter(|statement| !self.executed[index][statement.0 as usize])
                .collect();
            statements.sort_unstable();
            statements.dedup();
            let proctype = ProctypeId(index as u16);
            unreached.extend(statements.into_iter().map(|statement| Unreached { proctype, statement }));
        }
        unreached
    }
}

fn before_start(fault: &Fault) -> String {
    format!("{fault}, in an initial value")
}
