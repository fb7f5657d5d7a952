//! Which permutations of the indexes of a shape are automorphisms.

use super::names::{CHANNELS, Name, Names, field_node, sort_of, value};
use spinor_exec::{Coding, Place, Shape, Shapes};
use spinor_model::ranges::Leaf;
use spinor_model::symmetry::{Node, Scalarsets};
use spinor_model::{Base, ProctypeId, Scalar};

/// All that a permutation must respect, in the states of one shape.
pub(super) struct Frame<'a, 'm> {
    pub(super) sets: &'a Scalarsets,
    pub(super) shapes: &'a Shapes<'m>,
    pub(super) shape: &'a Shape,
    pub(super) names: &'a Names,
    /// A state of the shape.
    pub(super) state: &'a [u64],
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

type Permitted = Result<(), String>;

impl Frame<'_, '_> {
    /// Whether renaming by a permutation leads from states to states that do the same; why not.
    pub(super) fn permits(&self, image: &[usize]) -> Permitted {
        self.respects_members(image)?;
        self.respects_text(image)?;
        self.respects_channels(image)?;
        for part in self.parts() {
            self.respects_part(&part, image)?;
        }
        Ok(())
    }

    fn moved<'i>(&self, image: &'i [usize]) -> impl Iterator<Item = (usize, usize)> + use<'i> {
        image.iter().copied().enumerate().filter(|(from, to)| from != to)
    }

    fn respects_members(&self, image: &[usize]) -> Permitted {
        for (from, to) in self.moved(image) {
            let types = |index: usize| self.names.members[index].iter().map(|member| member.0);
            if !types(from).eq(types(to)) {
                return Err("processes of other types go by the same names".into());
            }
            for sort in self.names.sorts() {
                let variants = |of: usize| {
                    let names = self.names.names(sort).filter(move |(name, _)| name.index == of);
                    names.map(|(name, _)| name.variant)
                };
                if !variants(from).eq(variants(to)) {
                    return Err("they are not known by the same kinds of names".into());
                }
            }
        }
        Ok(())
    }

    /// Names that are spelled out stay, and where the next name is computed only rotations are permitted.
    fn respects_text(&self, image: &[usize]) -> Permitted {
        let model = self.shapes.model();
        for sort in self.names.sorts().into_iter().filter(|&sort| sort != CHANNELS) {
            let name = |number: i32| self.names.names(sort).find(|it| it.1 == number).map(|it| it.0.index);
            for (number, reason) in self.sets.sorts.fixed(sort) {
                if name(*number).is_some_and(|index| image[index] != index) {
                    return Err(reason.text(model));
                }
            }
            for cycle in self.sets.sorts.cycles(sort) {
                let names: Vec<(Name, i32)> = self.names.names(sort).collect();
                let place = |number: i32| number.wrapping_sub(cycle.low);
                let distance = |&(name, number): &(Name, i32)| {
                    let to = self.names.number(sort, Name { index: image[name.index], ..name })?;
                    Some((place(to) - place(number)).rem_euclid(cycle.modulus))
                };
                let is_all = names.len() == cycle.modulus as usize
                    && names.iter().all(|it| (0..cycle.modulus).contains(&place(it.1)));
                let first = names.first().and_then(distance);
                let is_rotation = names.iter().all(|it| distance(it) == first);
                let is_moved = names.iter().any(|(name, _)| image[name.index] != name.index);
                if is_moved && !(is_all && is_rotation) {
                    return Err(cycle.reason.text(model));
                }
            }
        }
        Ok(())
    }

    fn respects_channels(&self, image: &[usize]) -> Permitted {
        let spelled = self.sets.sorts.sort(Node::Channel).map_or(&[][..], |(sort, _)| self.sets.sorts.fixed(sort));
        for (name, number) in self.names.names(CHANNELS) {
            let to = self.names.number(CHANNELS, Name { index: image[name.index], ..name });
            let kind = |number: i32| self.names.like[number as usize - 1];
            if to.is_none_or(|to| kind(to) != kind(number)) {
                return Err("their channels are of other kinds".into());
            }
            if let Some((_, reason)) = spelled.iter().find(|it| it.0 == number && to != Some(number)) {
                return Err(reason.text(self.shapes.model()));
            }
        }
        for (number, channel) in self.shape.channels.iter().enumerate() {
            let fields = channel.lanes.iter().flat_map(|lane| &lane.fields);
            for field in fields {
                let node = field_node(self.shapes, channel.site, field.field);
                let what = || format!("messages of channel {}", number + 1);
                self.can_hold(node, field.coding, image, &what)?;
            }
        }
        Ok(())
    }

    pub(super) fn parts(&self) -> Vec<Part<'_>> {
        let ranges = self.shapes.ranges();
        let base = Base::Global;
        let proctype = ProctypeId(0);
        let mut parts = vec![Part { base, proctype, pid: None, leaves: &ranges.globals, places: &self.shape.globals }];
        for (pid, process) in self.shape.processes.iter().enumerate() {
            let proctype = process.proctype;
            let leaves = &ranges.locals[usize::from(proctype.0)];
            parts.push(Part { base: Base::Local, proctype, pid: Some(pid), leaves, places: &process.leaves });
        }
        parts
    }

    pub(super) fn node(&self, part: &Part<'_>, leaf: usize) -> Node {
        if part.leaves[leaf].ty == Scalar::Chan { Node::Channel } else { Node::Value(part.base, part.proctype, leaf) }
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

    /// The element that an element goes to.
    fn element_after(&self, part: &Part<'_>, leaf: usize, element: usize, image: &[usize]) -> Option<usize> {
        let mut at = 0;
        for (dimension, coordinate) in self.coordinates(part, leaf, element).into_iter().enumerate() {
            let number = match coordinate {
                Coordinate::Plain(number) => number,
                Coordinate::Named(index, variant) => {
                    let (sort, more) = sort_of(self.sets, Node::Index(part.base, part.proctype, leaf, dimension))?;
                    let to = self.names.number(sort, Name { index: image[index], variant })?.wrapping_add(more);
                    u32::try_from(to).ok()?
                }
            };
            let length = part.leaves[leaf].lengths[dimension];
            if number >= length {
                return None;
            }
            at = at * length as usize + number as usize;
        }
        Some(at)
    }

    fn respects_part(&self, part: &Part<'_>, image: &[usize]) -> Permitted {
        let after = part.pid.map(|pid| self.pid_after(pid, image));
        let places = after.map_or(part.places, |pid| &self.shape.processes[pid].leaves);
        for (leaf, it) in part.leaves.iter().enumerate() {
            // An index that is out of bounds is a fault, whether the element matters or not.
            self.has_room(part, leaf, image)?;
            if self.shapes.is_unread(part.base, part.proctype, leaf) {
                continue;
            }
            self.has_few_names(part, leaf)?;
            let node = self.node(part, leaf);
            let is_other = after != part.pid;
            if is_other && self.is_given_data(part.proctype, leaf, node) {
                let all = |places: &[Place]| -> Vec<i32> {
                    (0..it.offsets.len()).map(|element| value(&places[leaf], element, self.state)).collect()
                };
                if all(part.places) != all(places) {
                    return Err(self.told_apart(it, node));
                }
            }
            match &part.places[leaf] {
                Place::Stored { coding, .. } => self.can_hold(node, *coding, image, &|| format!("`{}`", it.name))?,
                // What nobody names any more may be what it likes.
                Place::Known(_) if !self.sets.mentioned.contains(&(part.base, part.proctype, leaf)) => {}
                Place::Known(values) => {
                    for (element, &number) in values.iter().enumerate() {
                        let to = self.element_after(part, leaf, element, image);
                        let same = to.map(|to| value(&places[leaf], to, self.state));
                        if same != Some(self.renamed(node, number, image)) {
                            return Err(format!("`{}` joins them otherwise", it.name));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The process that takes the place of another.
    pub(super) fn pid_after(&self, pid: usize, image: &[usize]) -> usize {
        let proctype = self.shape.processes[pid].proctype;
        let to = self.names.of_pid(pid).map(|index| image[index]);
        let member = to.and_then(|to| self.names.members[to].iter().find(|member| member.0 == proctype));
        member.map_or(pid, |member| member.1)
    }

    /// Whether processes that hold different numbers there never become equal: data that is never assigned.
    pub(super) fn is_given_data(&self, proctype: ProctypeId, leaf: usize, node: Node) -> bool {
        let is_data = node != Node::Channel && self.sets.sorts.sort(node).is_none();
        is_data && !self.sets.assigned.contains(&(proctype, leaf))
    }

    fn told_apart(&self, leaf: &Leaf, node: Node) -> String {
        match self.sets.sorts.why_data(node) {
            Some(reason) => format!("`{}` tells them apart: {}", leaf.name, reason.text(self.shapes.model())),
            None => format!("`{}` tells them apart", leaf.name),
        }
    }

    /// In an array by name all that change places have an element, or none of them has.
    fn has_room(&self, part: &Part<'_>, leaf: usize, image: &[usize]) -> Permitted {
        for (dimension, &length) in part.leaves[leaf].lengths.iter().enumerate() {
            let node = Node::Index(part.base, part.proctype, leaf, dimension);
            let Some((sort, more)) = sort_of(self.sets, node) else { continue };
            let has_room = |number: i32| (0..length as i32).contains(&number.wrapping_add(more));
            if let Some(number) = self.leads_out(sort, image, has_room) {
                return Err(format!("`{}` has no element {}", part.leaves[leaf].name, number.wrapping_add(more)));
            }
        }
        Ok(())
    }

    /// A name that is not among some numbers, and in whose place comes one that is.
    fn leads_out(&self, sort: usize, image: &[usize], is_among: impl Fn(i32) -> bool) -> Option<i32> {
        let mut moved =
            self.names.names(sort).filter(|(name, number)| image[name.index] != name.index && is_among(*number));
        moved.find_map(|(name, number)| {
            let to = self.names.number(sort, Name { index: image[name.index], ..name }).unwrap_or(number);
            (!is_among(to)).then_some(to)
        })
    }

    /// Cells are found again by at most two names.
    fn has_few_names(&self, part: &Part<'_>, leaf: usize) -> Permitted {
        let node = |dimension| Node::Index(part.base, part.proctype, leaf, dimension);
        let is_named = |&dimension: &usize| {
            sort_of(self.sets, node(dimension)).is_some_and(|(sort, _)| self.names.names(sort).next().is_some())
        };
        let named = (0..part.leaves[leaf].lengths.len()).filter(is_named).count();
        if named + usize::from(part.pid.is_some_and(|pid| self.names.of_pid(pid).is_some())) > 2 {
            return Err(format!("`{}` is an array by more than two names", part.leaves[leaf].name));
        }
        Ok(())
    }

    /// Where one name is kept that changes, the other can be.
    fn can_hold(&self, node: Node, coding: Coding, image: &[usize], what: &dyn Fn() -> String) -> Permitted {
        let Some((sort, more)) = sort_of(self.sets, node) else { return Ok(()) };
        let can_hold = |number: i32| coding.number(number.wrapping_add(more)).is_some();
        match self.leads_out(sort, image, can_hold) {
            Some(number) => Err(format!("{} never hold {}", what(), number.wrapping_add(more))),
            None => Ok(()),
        }
    }

    fn renamed(&self, node: Node, number: i32, image: &[usize]) -> i32 {
        let Some((sort, more)) = sort_of(self.sets, node) else { return number };
        let renamed = self.names.name(self.sets, node, number).and_then(|name| {
            let to = self.names.number(sort, Name { index: image[name.index], ..name })?;
            Some(to.wrapping_add(more))
        });
        renamed.unwrap_or(number)
    }
}
