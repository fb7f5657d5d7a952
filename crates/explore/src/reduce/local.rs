//! Paper 000, algorithm 2: a process at a location where everything is local.
//!
//! All statements of the location count, executable or not: read as executable ones only, the algorithm is
//! unsound, since one that is blocked may be waiting for another process.

use super::{Processes, Selector, View};

/// Proposes single processes at local locations, the fewest steps first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Local;

impl Selector for Local {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let is_local = |pid: &usize| view.point(*pid).is_local;
        let candidates: Vec<usize> = (0..view.processes()).rev().filter(is_local).collect();
        super::ample::propose_singles(view, &candidates, sets);
    }
}
