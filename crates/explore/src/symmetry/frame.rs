//! The states of one shape, and what a permutation of its indexes makes of them: of processes, channels, numbers and
//! elements of arrays. What is verified ([`super::verify`]) and what is done to vectors ([`super::cells`]) is this.

use super::act::Act;
use super::names::{CHANNELS, Name, Names, field_node, sort_of};
use spinor_exec::{Place, Shape, Shapes};
use spinor_model::ranges::Leaf;
use spinor_model::symmetry::{Node, Scalarsets};
use spinor_model::{Access, Base, ProctypeId, Scalar};

/// The states of one shape in which processes were given the same.
pub(super) struct Frame<'a, 'm> {
    pub(super) sets: &'a Scalarsets,
    pub(super) shapes: &'a Shapes<'m>,
    pub(super) shape: &'a Shape,
    pub(super) names: &'a Names,
    /// What processes were [given](is_given), where it lies in vectors; the rest is 0.
    pub(super) given: &'a [u64],
}

/// A part of the variables: global ones, or those of a process.
pub(super) struct Part<'a> {
    pub(super) base: Base,
    pub(super) proctype: ProctypeId,
    pub(super) pid: Option<usize>,
    pub(super) leaves: &'a [Leaf],
    pub(super) places: &'a [Place],
}

/// Where something is: coordinates that change with the index they name, and others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Coordinate {
    Named(usize, usize),
    Plain(u32),
}

/// Whether a leaf of a process holds what the process was created with, which tells it from others of its type: no
/// statement ever stores to it. It is the same in all that follows a state, so it belongs to what is permuted, not to what
/// permutations act on.
pub(super) fn is_given(sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape, pid: usize, leaf: usize) -> bool {
    let proctype = shape.processes[pid].proctype;
    let is_stored = match &shape.processes[pid].leaves[leaf] {
        Place::Stored { .. } => !shapes.is_unread(Base::Local, proctype, leaf),
        Place::Known(_) => false,
    };
    let is_other = |(other, it): (usize, &spinor_exec::ProcessPlace)| other != pid && it.proctype == proctype;
    is_stored && !sets.assigned.contains(&(proctype, leaf)) && shape.processes.iter().enumerate().any(is_other)
}

/// Where what processes were given lies in the vectors of a shape: words, and bits of them.
pub(super) fn given_bits(sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape) -> Vec<(usize, u64)> {
    let mut masks = vec![0; shape.words()];
    for (pid, process) in shape.processes.iter().enumerate() {
        for leaf in (0..process.leaves.len()).filter(|&leaf| is_given(sets, shapes, shape, pid, leaf)) {
            match &process.leaves[leaf] {
                Place::Stored { series, .. } => {
                    (0..series.length).map(|n| series.element(n)).for_each(|it| masks[it.word as usize] |= it.mask());
                }
                Place::Known(_) => {}
            }
        }
    }
    masks.into_iter().enumerate().filter(|(_, mask)| *mask != 0).collect()
}

impl Frame<'_, '_> {
    pub(super) fn parts(&self) -> Vec<Part<'_>> {
        let ranges = self.shapes.ranges();
        let base = Base::Global;
        let proctype = ProctypeId(0);
        let mut parts = vec![Part { base, proctype, pid: None, leaves: &ranges.globals, places: &self.shape.globals }];
        parts.extend((0..self.shape.processes.len()).map(|pid| self.part_of(pid)));
        parts
    }

    /// The variables of a process.
    pub(super) fn part_of(&self, pid: usize) -> Part<'_> {
        let process = &self.shape.processes[pid];
        let leaves = &self.shapes.ranges().locals[usize::from(process.proctype.0)];
        Part { base: Base::Local, proctype: process.proctype, pid: Some(pid), leaves, places: &process.leaves }
    }

    /// Whether a leaf holds what its process was created with.
    pub(super) fn is_given(&self, part: &Part<'_>, leaf: usize) -> bool {
        part.pid.is_some_and(|pid| is_given(self.sets, self.shapes, self.shape, pid, leaf))
    }

    pub(super) fn node(&self, part: &Part<'_>, leaf: usize) -> Node {
        if part.leaves[leaf].ty == Scalar::Chan { Node::Channel } else { Node::Value(part.base, part.proctype, leaf) }
    }

    /// What a statement of a process of a type stores to; none for a hidden variable.
    pub(super) fn target(&self, proctype: ProctypeId, target: &Access) -> Option<Node> {
        let ranges = self.shapes.ranges();
        let (leaf, _) = ranges.element(target.base, proctype, target.offset);
        if ranges.part(target.base, proctype)[leaf].ty == Scalar::Chan {
            return Some(Node::Channel);
        }
        match target.base {
            Base::Global => Some(Node::Value(Base::Global, ProctypeId(0), leaf)),
            Base::Local => Some(Node::Value(Base::Local, proctype, leaf)),
            Base::Hidden => None,
        }
    }

    /// The index by which an element of an array is known, for each of its dimensions.
    pub(super) fn coordinates(&self, part: &Part<'_>, leaf: usize, element: usize) -> Vec<Coordinate> {
        let mut inner = part.leaves[leaf].offsets.len();
        let one = |(dimension, &length): (usize, &u32)| {
            inner /= length as usize;
            let number = (element / inner) as u32 % length;
            let node = Node::Index(part.base, part.proctype, leaf, dimension);
            match self.names.name(self.sets, node, number as i32) {
                Some(name) => Coordinate::Named(name.index, name.variant),
                None => Coordinate::Plain(number),
            }
        };
        part.leaves[leaf].lengths.iter().enumerate().map(one).collect()
    }

    /// The process that takes the place of another.
    pub(super) fn pid_after(&self, pid: usize, image: &[usize]) -> usize {
        let proctype = self.shape.processes[pid].proctype;
        let to = self.names.of_pid(pid).map(|index| image[index]);
        let member = to.and_then(|to| self.names.members[to].iter().find(|member| member.0 == proctype));
        member.map_or(pid, |member| member.1)
    }

    /// What becomes of the names of a sort; none if some index has names that another has not.
    pub(super) fn act_on(&self, sort: usize, image: &[usize]) -> Option<Act> {
        let to = |(name, number): (Name, i32)| {
            Some((number, self.names.number(sort, Name { index: image[name.index], ..name })?))
        };
        Act::new(self.names.names(sort).map(to).collect::<Option<Vec<_>>>()?)
    }

    /// The sort of what a node holds, and what its numbers are more than those of the sort.
    pub(super) fn sort_of(&self, node: Node) -> Option<(usize, i32)> {
        sort_of(self.sets, node)
    }

    /// A field of the messages of a site.
    pub(super) fn field(&self, site: usize, field: usize) -> Node {
        field_node(self.shapes, site, field)
    }

    /// The site of a channel, by its number in the model.
    pub(super) fn site(&self, number: i32) -> Option<usize> {
        let channel = usize::try_from(number).ok()?.checked_sub(1)?;
        self.shape.channels.get(channel).map(|it| it.site)
    }

    /// The sorts that have names, that of channels among them.
    pub(super) fn sorts(&self) -> Vec<usize> {
        let mut sorts = self.names.sorts();
        sorts.retain(|&sort| sort != CHANNELS);
        sorts.push(CHANNELS);
        sorts
    }
}
