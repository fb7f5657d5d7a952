//! The static diagram of a shape: what is the same in all of its states and relates indexes to each other.
//!
//! Channels that processes were given, names that they keep, data that tells them apart and the order in which the next
//! name is computed are *facts* about some indexes, one after the other. An automorphism of the states takes facts to facts,
//! so the automorphisms of the diagram are the candidates; [`super::verify`] decides.

use super::frame::{Coordinate, Frame, Part};
use super::links::mix;
use super::names::{CHANNELS, Name, sort_of, value};
use spinor_exec::Place;
use spinor_model::symmetry::Node;

/// Facts about indexes.
#[derive(Debug, Default)]
pub(super) struct Diagram {
    /// What is known of each index alone.
    pub(super) colours: Vec<u64>,
    /// A number for each kind of fact, and whom it is about.
    facts: Vec<(u64, Vec<usize>)>,
}

/// What facts begin with.
#[derive(Clone, Copy)]
enum Of {
    Type,
    Channel,
    Name,
    Spelled,
    Next,
    Given,
    Known,
    Room,
    Held,
    Stuck,
}

fn number(of: Of, more: &[u64]) -> u64 {
    more.iter().fold(mix(0, of as u64 + 1), |number, &it| mix(number, it))
}

impl Diagram {
    /// The diagram of the states of a frame.
    pub(super) fn new(frame: &Frame<'_, '_>) -> Diagram {
        let mut it = Diagram { colours: vec![0; frame.names.len()], facts: Vec::new() };
        for (index, members) in frame.names.members.iter().enumerate() {
            members.iter().for_each(|member| it.tell(index, number(Of::Type, &[u64::from(member.0.0)])));
        }
        frame.names.sorts().into_iter().for_each(|sort| it.names(frame, sort));
        frame.parts().iter().for_each(|part| it.part(frame, part));
        it
    }

    /// Something about one index.
    fn tell(&mut self, index: usize, number: u64) {
        self.colours[index] = self.colours[index].wrapping_add(number);
    }

    /// An index that is unlike all others.
    fn stick(&mut self, index: usize) {
        self.tell(index, number(Of::Stuck, &[index as u64]));
    }

    fn names(&mut self, frame: &Frame<'_, '_>, sort: usize) {
        let names: Vec<(Name, i32)> = frame.names.names(sort).collect();
        for (name, at) in &names {
            self.tell(name.index, number(Of::Name, &[sort as u64, name.variant as u64]));
            if sort == CHANNELS {
                let kind = frame.names.like[*at as usize - 1];
                self.tell(name.index, number(Of::Channel, &[kind as u64, name.variant as u64]));
            }
        }
        let text = if sort == CHANNELS { frame.sets.sorts.sort(Node::Channel).map(|it| it.0) } else { Some(sort) };
        let Some(text) = text else { return };
        for (spelled, _) in frame.sets.sorts.fixed(text) {
            for (name, _) in names.iter().filter(|it| it.1 == *spelled) {
                self.tell(name.index, number(Of::Spelled, &[sort as u64, *spelled as u64]));
            }
        }
        for (n, cycle) in frame.sets.sorts.cycles(text).iter().enumerate() {
            for (name, at) in &names {
                let next = cycle.low + (at - cycle.low + 1).rem_euclid(cycle.modulus);
                match names.iter().find(|it| it.1 == next) {
                    Some((after, _)) => {
                        let variants = [sort as u64, n as u64, name.variant as u64, after.variant as u64];
                        self.facts.push((number(Of::Next, &variants), vec![name.index, after.index]));
                    }
                    None => self.stick(name.index),
                }
            }
        }
    }

    fn part(&mut self, frame: &Frame<'_, '_>, part: &Part<'_>) {
        let owner = part.pid.and_then(|pid| frame.names.of_pid(pid));
        for leaf in 0..part.leaves.len() {
            for dimension in 0..part.leaves[leaf].lengths.len() {
                let length = part.leaves[leaf].lengths[dimension] as i32;
                let node = Node::Index(part.base, part.proctype, leaf, dimension);
                self.among(frame, node, (Of::Room, part, leaf * 8 + dimension), |at| (0..length).contains(&at));
            }
            if frame.shapes.is_unread(part.base, part.proctype, leaf) {
                continue;
            }
            let node = frame.node(part, leaf);
            let is_data = frame.is_given(part, leaf) && frame.sort_of(node).is_none();
            if let Some(owner) = owner.filter(|_| is_data) {
                let place = &part.places[leaf];
                let held = (0..part.leaves[leaf].offsets.len()).map(|at| value(place, at, frame.given) as u64);
                let all: Vec<u64> = [u64::from(part.proctype.0), leaf as u64].into_iter().chain(held).collect();
                self.tell(owner, number(Of::Given, &all));
            }
            match &part.places[leaf] {
                Place::Stored { coding, .. } => {
                    self.among(frame, node, (Of::Held, part, leaf), |at| coding.number(at).is_some());
                }
                Place::Known(_) if !frame.sets.mentioned.contains(&(part.base, part.proctype, leaf)) => {}
                Place::Known(values) => {
                    values.iter().enumerate().for_each(|(element, &at)| self.known(frame, part, (leaf, element), at));
                }
            }
        }
    }

    /// Which names of a sort can be somewhere.
    fn among(
        &mut self,
        frame: &Frame<'_, '_>,
        node: Node,
        (of, part, leaf): (Of, &Part<'_>, usize),
        can_be: impl Fn(i32) -> bool,
    ) {
        let Some((sort, more)) = sort_of(frame.sets, node) else { return };
        for (name, _) in frame.names.names(sort).filter(|it| can_be(it.1.wrapping_add(more))) {
            let place = [part.base as u64, u64::from(part.proctype.0), leaf as u64, name.variant as u64];
            self.tell(name.index, number(of, &place));
        }
    }

    /// A number that an element of a variable always holds.
    fn known(&mut self, frame: &Frame<'_, '_>, part: &Part<'_>, (leaf, element): (usize, usize), held: i32) {
        let mut about = Vec::new();
        let mut told = vec![part.base as u64, u64::from(part.proctype.0), leaf as u64];
        match part.pid.map(|pid| (pid, frame.names.of_pid(pid))) {
            Some((_, Some(index))) => about.push(index),
            Some((pid, None)) => told.push(pid as u64),
            None => {}
        }
        for coordinate in frame.coordinates(part, leaf, element) {
            match coordinate {
                Coordinate::Named(index, variant) => {
                    about.push(index);
                    told.extend([1, variant as u64]);
                }
                Coordinate::Plain(at) => told.extend([0, u64::from(at)]),
            }
        }
        match frame.names.name(frame.sets, frame.node(part, leaf), held) {
            Some(name) => {
                about.push(name.index);
                told.extend([1, name.variant as u64]);
            }
            None => told.extend([0, held as u64]),
        }
        match about[..] {
            [] => {}
            [one] => self.tell(one, number(Of::Known, &told)),
            _ => self.facts.push((number(Of::Known, &told), about)),
        }
    }

    /// Colours that tell apart what facts tell apart, if indexes of one colour are not told apart by anything else.
    pub(super) fn refine(&self, colours: &mut Vec<u64>) {
        let mut count = distinct(colours);
        loop {
            let mut next: Vec<u64> = colours.iter().map(|&it| mix(it, 1)).collect();
            for (kind, about) in &self.facts {
                let seen = about.iter().fold(*kind, |seen, &it| mix(seen, colours[it]));
                for (role, &index) in (0..).zip(about) {
                    next[index] = next[index].wrapping_add(mix(seen, role));
                }
            }
            *colours = next;
            let now = distinct(colours);
            if now <= count {
                return;
            }
            count = now;
        }
    }
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
