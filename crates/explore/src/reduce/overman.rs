//! Overman's method (paper 000, section 5), with both refinements: only what a process can still touch from
//! where it stands counts, and the set with the fewest executable steps is taken.
//!
//! A set of processes is closed if it contains each process whose future conflicts with the next steps,
//! executable or not, of one of its members. The smallest closed sets are those that grow from one process.

use super::ample::steps;
use super::uses::none;
use super::{Processes, Selector, View};

/// Proposes closed sets, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Overman {
    mask: Box<[u64]>,
    rivals: Vec<Option<Processes>>,
}

impl Overman {
    /// The smallest closed set with a process.
    fn closure(&mut self, view: &View<'_>, pid: usize, mortal: usize) -> Processes {
        let mut closed = Processes::default();
        let mut open = Processes::single(pid);
        while let Some(next) = open.iter().find(|pid| !closed.contains(*pid)) {
            closed.insert(next);
            let mask = &mut self.mask;
            let rivals = *self.rivals[next].get_or_insert_with(|| view.rivals(next, mask, mortal));
            open.join(&rivals);
        }
        closed
    }
}

impl Selector for Overman {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        if self.mask.len() != view.table.words {
            self.mask = none(view.table.words);
        }
        self.rivals.clear();
        self.rivals.resize(view.processes(), None);
        let mortal = view.first_mortal();
        let first = sets.len();
        for pid in (0..view.processes()).rev() {
            let set = self.closure(view, pid, mortal);
            if !sets[first..].contains(&set) && view.admits(&set) {
                sets.push(set);
            }
        }
        sets[first..].sort_by_key(|set| steps(view, set));
    }
}
