//! What is wrong at a state, and how much of it there was.

use crate::control::Control;
use crate::report::{StopReason, ViolationKind};
use crate::verify::describe;
use spinor_exec::{Ended, Expanded, Fault, FindingKind, Move, PackedFinding, Semantics};
use std::borrow::Cow;

/// Something wrong, as seen from the state that was expanded.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: ViolationKind,
    pub(crate) message: Cow<'static, str>,
    /// The moves that lead to it from that state.
    pub(crate) tail: Vec<Move>,
}

/// All that is wrong at a state that was just expanded and is asked for. Takes the findings away.
pub(crate) fn wrong_at<'a, S: Semantics>(
    engine: &mut S,
    control: &'a Control<'_>,
    state: &[u64],
    expanded: Expanded,
    findings: &'a mut Vec<PackedFinding>,
) -> impl Iterator<Item = Wrong> + use<'a, S> {
    let is_deadlock = expanded.ended == Ended::Stuck && control.plan.end_states && !engine.is_valid_end(state);
    let deadlock = is_deadlock.then(|| Wrong {
        kind: ViolationKind::InvalidEndState,
        message: "invalid end state".into(),
        tail: Vec::new(),
    });
    let found = findings.drain(..).filter_map(|PackedFinding { kind, moves }| {
        if kind == FindingKind::Fault(Fault::EndlessAtomic) {
            // The other paths through the sequence were given up with it.
            control.cut(StopReason::EndlessAtomic);
        }
        let (kind, message) = describe(kind);
        let is_asked_for = kind != ViolationKind::Assertion || control.plan.assertions;
        is_asked_for.then(|| Wrong { kind, message: message.into(), tail: moves })
    });
    found.chain(deadlock)
}

/// How many violations there were of each kind, in the order in which kinds came up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(pub(crate) Vec<(ViolationKind, u64)>);

impl Tally {
    pub(crate) fn add(&mut self, kind: ViolationKind, count: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => *known += count,
            None => self.0.push((kind, count)),
        }
    }

    pub(crate) fn merge(&mut self, other: &Tally) {
        other.0.iter().for_each(|&(kind, count)| self.add(kind, count));
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }
}

/// What one thread counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) stored: u64,
    pub(crate) matched: u64,
    pub(crate) depth: usize,
    /// Bytes of the vectors that were stored.
    pub(crate) bytes: u64,
}

impl Counts {
    pub(crate) fn deepen(&mut self, depth: usize) {
        self.depth = self.depth.max(depth);
    }

    pub(crate) fn merge(&mut self, other: &Counts) {
        self.stored += other.stored;
        self.matched += other.matched;
        self.depth = self.depth.max(other.depth);
        self.bytes += other.bytes;
    }
}
