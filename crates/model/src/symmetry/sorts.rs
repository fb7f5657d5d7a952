//! Sorts of numbers, by unification.

use crate::expr::Base;
use crate::model::{Model, ProctypeId};
use spinor_syntax::Place;
use std::collections::HashMap;

/// Why something is not symmetric, and the line that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Where.
    pub place: Place,
    /// Why.
    pub why: String,
}

impl Reason {
    /// For people: `file:line: why`.
    #[must_use]
    pub fn text(&self, model: &Model) -> String {
        format!("{}: {}", model.line(self.place), self.why)
    }
}

/// Something that holds a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The elements of a leaf. The proctype of a global variable is the first.
    Value(Base, ProctypeId, usize),
    /// An index of a leaf, and which.
    Index(Base, ProctypeId, usize, usize),
    /// A field of the messages of a site.
    Field(usize, usize),
    /// The pids of the processes of a type.
    Own(ProctypeId),
    /// The numbers of channels, wherever they are.
    Channel,
}

/// Numbers that only rotations keep apart: `(x + 1) % modulus`, which is right for names from `low` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The smallest name, as the representative of the sort has it.
    pub low: i32,
    /// How many there are.
    pub modulus: i32,
    /// Who says so.
    pub reason: Reason,
}

#[derive(Clone, Debug)]
struct Entry {
    parent: usize,
    /// What the numbers here are more than those of the parent.
    more: i32,
    data: Option<Reason>,
    fixed: Vec<(i32, Reason)>,
    cycles: Vec<Cycle>,
}

/// A union-find structure. Numbers of one sort may lie a constant apart: `_pid - 1` names the same process as
/// `_pid`.
#[derive(Clone, Debug, Default)]
pub struct Sorts {
    known: HashMap<Node, usize>,
    entries: Vec<Entry>,
}

impl Sorts {
    pub(super) fn node(&mut self, node: Node) -> usize {
        let next = self.entries.len();
        let id = *self.known.entry(node).or_insert(next);
        if id == next {
            let (fixed, cycles) = (Vec::new(), Vec::new());
            self.entries.push(Entry { parent: next, more: 0, data: None, fixed, cycles });
        }
        id
    }

    /// The representative, and what the numbers here are more than there.
    fn find(&self, mut id: usize) -> (usize, i32) {
        let mut more = 0_i32;
        while self.entries[id].parent != id {
            more = more.wrapping_add(self.entries[id].more);
            id = self.entries[id].parent;
        }
        (id, more)
    }

    /// The sort of something, unless it is data, and what its numbers are more than those of the sort.
    #[must_use]
    pub fn sort(&self, node: Node) -> Option<(usize, i32)> {
        let (root, more) = self.find(*self.known.get(&node)?);
        self.entries[root].data.is_none().then_some((root, more))
    }

    /// Why something is data.
    #[must_use]
    pub fn why_data(&self, node: Node) -> Option<&Reason> {
        let (root, _) = self.find(*self.known.get(&node)?);
        self.entries[root].data.as_ref()
    }

    /// The names of a sort that the text spells out.
    #[must_use]
    pub fn fixed(&self, sort: usize) -> &[(i32, Reason)] {
        &self.entries[sort].fixed
    }

    /// Where the next name is computed.
    #[must_use]
    pub fn cycles(&self, sort: usize) -> &[Cycle] {
        &self.entries[sort].cycles
    }

    /// Numbers of channels that are kept where other numbers are cannot be told from these.
    pub(super) fn keep_channels_apart(&mut self, reason: Reason) {
        let Some(&channel) = self.known.get(&Node::Channel) else { return };
        let (root, _) = self.find(channel);
        if self.known.values().any(|&id| id != channel && self.find(id).0 == root) {
            self.make_data(root, reason);
        }
    }

    pub(super) fn is_data(&self, id: usize) -> bool {
        self.entries[self.find(id).0].data.is_some()
    }

    pub(super) fn make_data(&mut self, id: usize, reason: Reason) {
        let (root, _) = self.find(id);
        self.entries[root].data.get_or_insert(reason);
    }

    pub(super) fn fix(&mut self, id: usize, value: i32, reason: Reason) {
        let (root, more) = self.find(id);
        self.entries[root].fixed.push((value.wrapping_sub(more), reason));
    }

    pub(super) fn rotate(&mut self, id: usize, (low, modulus): (i32, i32), reason: Reason) {
        let (root, more) = self.find(id);
        self.entries[root].cycles.push(Cycle { low: low.wrapping_sub(more), modulus, reason });
    }

    /// The numbers of one, and so much more, are of the same sort as those of the other, and so much more.
    pub(super) fn unify(&mut self, (one, plus): (usize, i32), (other, extra): (usize, i32), reason: Reason) {
        let ((one, more), (other, most)) = (self.find(one), self.find(other));
        let more = most.wrapping_add(extra).wrapping_sub(more).wrapping_sub(plus);
        if one == other {
            if more != 0 {
                self.make_data(one, Reason { why: format!("{}, at another distance", reason.why), ..reason });
            }
            return;
        }
        let Entry { data, fixed, cycles, .. } = self.entries[one].clone();
        self.entries[one].parent = other;
        self.entries[one].more = more;
        let to = &mut self.entries[other];
        to.data = to.data.take().or(data);
        to.fixed.extend(fixed.into_iter().map(|(value, why)| (value.wrapping_sub(more), why)));
        to.cycles.extend(cycles.into_iter().map(|it| Cycle { low: it.low.wrapping_sub(more), ..it }));
    }
}
