//! Process-wise ample sets: one process whose next steps conflict with nothing that any other process can
//! still do from where it stands.
//!
//! A channel that only this process still sends to is exclusive *now*, whatever `xs` says: promises are not
//! trusted. A rendezvous needs two processes, so it never is an ample set of one.

use super::uses::none;
use super::{Processes, Selector, View};

/// Proposes single processes, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ample {
    mask: Box<[u64]>,
}

impl Ample {
    /// Whether a process alone is persistent.
    pub(super) fn is_candidate(&mut self, view: &View<'_>, pid: usize, mortal: usize) -> bool {
        if view.point(pid).is_local {
            return true;
        }
        if self.mask.len() != view.table.words {
            self.mask = none(view.table.words);
        }
        view.rivals(pid, &mut self.mask, mortal).next().is_none()
    }
}

impl Selector for Ample {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let mortal = view.first_mortal();
        let is_candidate = |pid: &usize| self.is_candidate(view, *pid, mortal);
        let candidates: Vec<usize> = (0..view.processes()).rev().filter(is_candidate).collect();
        propose_singles(view, &candidates, sets);
    }
}

/// Appends the candidates that may be proposed, the fewest steps first.
pub(super) fn propose_singles(view: &mut View<'_>, candidates: &[usize], sets: &mut Vec<Processes>) {
    let first = sets.len();
    sets.extend(candidates.iter().map(|&pid| Processes::single(pid)).filter(|set| view.admits(set)));
    sets[first..].sort_by_key(|set| steps(view, set));
}

/// How many steps the processes of a set can do.
pub(super) fn steps(view: &mut View<'_>, set: &Processes) -> usize {
    set.iter().map(|pid| view.steps(pid)).sum()
}
