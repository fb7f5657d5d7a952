//! Actions: what sleeps in a sleep set.

use super::independence::Independence;
use super::{Table, View};
use spinor_model::{LocationId, ProctypeId};

/// All steps of a process that begin with one edge of the location where it stands. A process that does not
/// move keeps its location, so the name means the same in every state to which it sleeps.
///
/// An atomic sequence with choices, and a rendezvous that several can accept, lead to several states:
/// they are one action. What is independent of an action is so of each of its steps, so that the set of the
/// states where it leads is the same before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Action {
    pub(crate) pid: u8,
    pub(crate) edge: u32,
}

impl Action {
    /// A step that depends on all others, as those are that wait for a timeout.
    pub(crate) const DEPENDENT: Action = Action { pid: 0, edge: u32::MAX };
}

/// Appends those of `others` to `out` that are independent of an action, all of them being executable in
/// the state.
pub(crate) fn independent(
    judge: &mut Independence,
    (table, state): (&Table, &[u64]),
    action: Action,
    others: &[Action],
    out: &mut Vec<Action>,
) {
    if !table.is_reducible() || action == Action::DEPENDENT {
        return;
    }
    let mut steps = |_| 0;
    let view = View::new(table, state, &mut steps);
    let name = |it: Action| (usize::from(it.pid), it.edge as usize);
    let commute = |other: &&Action| **other != Action::DEPENDENT && judge.of_edges(&view, name(action), name(**other));
    out.extend(others.iter().filter(commute));
}

/// The type of a process, and where it stands.
pub(crate) fn place(table: &Table, state: &[u64], pid: u8) -> Option<(ProctypeId, LocationId)> {
    let slot = table.slots.get(usize::from(pid))?;
    Some((slot.proctype, LocationId(slot.location.get(state) as u16)))
}
