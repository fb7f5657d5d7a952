//! Reductions that are known from the text alone, and change what a step or a state is.

use spinor_model::ranges::Ranges;
use spinor_model::{Base, Liveness, LocationId, Merge, Model, ProctypeId};
use std::sync::Arc;

/// Which of them are wanted. Neither changes what is found, but for the states in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplify {
    /// Statement merging: a step goes on through what is local and can always be done.
    pub merge: bool,
    /// Numbers that nobody reads before they are written again are 0.
    pub dead: bool,
}

/// What is known of a model for them.
#[derive(Debug)]
pub(super) struct Simplified {
    pub(super) merge: Option<Arc<Merge>>,
    liveness: Option<Liveness>,
}

impl Simplified {
    /// Where hidden variables are read, what follows from a state depends on how it was reached, and
    /// states are compared without that: nothing is left out then.
    pub(super) fn new(model: &Model, ranges: &Ranges, wanted: Simplify) -> Simplified {
        let may = !model.uses.reads_hidden;
        Simplified {
            merge: (may && wanted.merge).then(|| Arc::new(Merge::new(model, ranges))),
            liveness: (may && wanted.dead).then(|| Liveness::new(model, ranges)),
        }
    }

    /// Whether a leaf is not kept, because nobody ever reads it.
    pub(super) fn is_unread(&self, base: Base, proctype: ProctypeId, leaf: usize) -> bool {
        self.liveness.as_ref().is_some_and(|liveness| liveness.unread(base, proctype).contains(&leaf))
    }

    /// The leaves of a process that are 0 at a location.
    pub(super) fn dead(&self, proctype: ProctypeId, location: LocationId) -> &[usize] {
        self.liveness.as_ref().map_or(&[], |liveness| liveness.dead(proctype, location))
    }
}
