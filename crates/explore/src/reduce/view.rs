//! A state as selectors see it.

use super::processes::Processes;
use super::table::{Conflicts, Point, Table};
use super::uses::{COUNT, CREATE, DESTROY, byte, contains, intersect, meeting};
use super::visible::Preserve;
use std::fmt;

/// A state, with what is known of dependence in its shape. How many steps a process can do is asked for
/// only when it matters: whoever answers may expand the process then.
pub struct View<'a> {
    pub(super) table: &'a Table,
    pub(super) state: &'a [u64],
    steps: &'a mut dyn FnMut(usize) -> usize,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    /// A view of a packed state of the table's shape. `steps` says how many successors a process has.
    pub fn new(table: &'a Table, state: &'a [u64], steps: &'a mut dyn FnMut(usize) -> usize) -> View<'a> {
        View { table, state, steps }
    }

    /// How many processes there are, if the model can be reduced at all.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.table.slots.len()
    }

    /// How many steps a process can do.
    pub fn steps(&mut self, pid: usize) -> usize {
        (self.steps)(pid)
    }

    pub(super) fn point(&self, pid: usize) -> &'a Point {
        self.table.point(self.state, pid)
    }

    /// Adds all that conflicts in this state.
    pub(super) fn add_conflicts(&self, conflicts: &Conflicts, out: &mut [u64]) {
        super::uses::join(out, &conflicts.fixed);
        for channel in &conflicts.channels {
            channel.add(self.table.queues[channel.channel].level(self.state), out);
        }
    }

    /// The lowest pid such that it and all above can end. A process ends only as the youngest, so none
    /// below ever will as long as one above stays.
    pub(super) fn first_mortal(&self) -> usize {
        let stays = |pid: &usize| !contains(&self.point(*pid).future, DESTROY);
        (0..self.processes()).rev().find(stays).map_or(0, |pid| pid + 1)
    }

    /// The processes, `pid` aside, whose future conflicts with the next steps of `pid`, executable or not.
    /// `mask` is memory of the table's words; `mortal` is [`Self::first_mortal`].
    pub(super) fn rivals<'v>(
        &'v self,
        pid: usize,
        mask: &'v mut [u64],
        mortal: usize,
    ) -> impl Iterator<Item = usize> + 'v {
        mask.copy_from_slice(&self.point(pid).conflicts.fixed);
        for channel in &self.point(pid).conflicts.channels {
            channel.add(self.table.queues[channel.channel].level(self.state), mask);
        }
        let feels_ends = self.feels_ends(pid);
        let mask = &*mask;
        (0..self.processes()).filter(move |&other| {
            // Who is older than a process that waits cannot end before it.
            let ends = feels_ends && other > pid && other >= mortal;
            other != pid && (ends || intersect(mask, &self.point(other).future))
        })
    }

    /// Whether the end of a younger process would change what the next steps of a process can do.
    fn feels_ends(&self, pid: usize) -> bool {
        let next = &self.point(pid).next;
        let is_youngest = pid + 1 == self.processes();
        contains(next, CREATE) || contains(next, COUNT) || contains(next, DESTROY) && !is_youngest
    }

    /// Whether a persistent set may be proposed: some process of it can move, some other can too, and the
    /// property allows it.
    pub(super) fn admits(&mut self, set: &Processes) -> bool {
        set.iter().any(|pid| self.steps(pid) > 0) && self.keeps(set) && self.leaves_out(set)
    }

    fn leaves_out(&mut self, set: &Processes) -> bool {
        (0..self.processes()).any(|pid| !set.contains(pid) && self.steps(pid) > 0)
    }

    /// Whether a set needs no proviso: no process outside of it will ever show something wrong.
    #[must_use]
    pub fn is_free(&self, set: &Processes) -> bool {
        (0..self.processes()).all(|pid| set.contains(pid) || !self.point(pid).is_risk)
    }

    /// What [`Preserve`] asks of a set.
    fn keeps(&mut self, set: &Processes) -> bool {
        match self.table.preserve {
            Preserve::Deadlock | Preserve::Assertions | Preserve::Statements => true,
            Preserve::Ltl(_) => !self.shows(set),
            Preserve::Invariants(_) => self.is_quiet_outside(set) || !self.shows(set),
        }
    }

    /// Whether a step of the set may be visible. A rendezvous is counted with its sender, but the receiver
    /// may be the one that shows it.
    fn shows(&mut self, set: &Processes) -> bool {
        let table = self.table;
        let accepts = |next: &[u64]| table.meetings.iter().any(|&at| byte(next, at) & meeting::ACCEPT != 0);
        set.iter().any(|pid| {
            let next = &self.point(pid).next;
            intersect(next, &table.visible) && (accepts(next) || self.steps(pid) > 0)
        })
    }

    /// Whether no process outside of the set will ever do a visible step.
    fn is_quiet_outside(&self, set: &Processes) -> bool {
        let mut outside = (0..self.processes()).filter(|pid| !set.contains(*pid));
        outside.all(|pid| !intersect(&self.point(pid).future, &self.table.visible))
    }
}
