//! How permutations act on packed vectors.
//!
//! What belongs to a label lies in fields of its own, in the same places for all labels of a kind; what holds names, or
//! belongs to two labels, is a *link*. Links in queues and in dead variables are looked at only where there is something.

use super::cells::{self, Cell, Group, Guard, Rename};
use super::permit::Frame;
use spinor_exec::Bits;
use spinor_model::ProctypeId;
use std::sync::Arc;

/// No label.
pub(super) const NONE: u8 = u8::MAX;

/// The place of what no permutation leads to.
const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// A field that belongs to one label and holds no names.
#[derive(Clone, Copy, Debug)]
struct Own {
    field: Field,
    kind: Kind,
}

/// Where a field is, ready to be read.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    ones: u64,
}

impl Field {
    fn new(bits: Bits) -> Field {
        Field { word: bits.word, shift: u32::from(bits.shift), ones: bits.ones() }
    }

    #[inline]
    fn get(self, words: &[u64]) -> u64 {
        words[self.word as usize] >> self.shift & self.ones
    }
}

/// What is common to fields that change places.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Where the places of such fields begin, by labels.
    places: u32,
    /// What a hash of such a field begins with.
    salt: u64,
}

/// A field that holds a name, or belongs to two labels.
#[derive(Clone, Debug)]
struct Link {
    field: Field,
    kind: Kind,
    at: [u8; 2],
    rename: Option<Arc<Rename>>,
}

impl Link {
    /// Where it is after a permutation.
    #[inline]
    fn after(&self, image: &[u8], labels: usize) -> usize {
        let to = |label: u8| usize::from(image[usize::from(label)]);
        self.kind.places as usize
            + match self.at {
                [NONE, _] => 0,
                [one, NONE] => to(one),
                [one, other] => to(one) * labels + to(other),
            }
    }

    /// What it holds, and whose name that is.
    #[inline]
    fn read(&self, words: &[u64]) -> (u64, u8) {
        let held = self.field.get(words);
        (held, self.rename.as_ref().map_or(NONE, |rename| rename.label(held)))
    }

    /// Adds what it holds to the keys of those around it.
    #[inline]
    fn tell_apart(&self, words: &[u64], keys: &mut [u64]) {
        let (held, named) = self.read(words);
        if self.at[0] == NONE {
            // The most of links are names in global variables and queues.
            if named != NONE {
                keys[usize::from(named)] = keys[usize::from(named)].wrapping_add(self.kind.salt);
            }
            return;
        }
        let around = [self.at[0], self.at[1], named];
        // Who is named is not known here, but whether it is one of those around.
        let same = |one: usize, other: usize| u64::from(around[one] == around[other]);
        let held = if named == NONE { held } else { !(same(0, 2) << 1 | same(1, 2)) };
        let seen = mix(self.kind.salt, held) ^ same(0, 1);
        tell(around, keys, |role| mix(seen, role));
    }
}

/// Links that are there together.
#[derive(Debug)]
struct Links {
    guard: Guard,
    links: Vec<Link>,
    /// In a queue: how many belong to so many messages.
    ends: Vec<u32>,
}

impl Links {
    /// Those that are there; the others are 0.
    #[inline]
    fn live(&self, words: &[u64]) -> &[Link] {
        match &self.guard {
            Guard::Always => &self.links,
            Guard::Queued(length, _) => {
                let messages = (length.get(words) as usize).min(self.ends.len() - 1);
                &self.links[..self.ends[messages] as usize]
            }
            Guard::Alive(location, dead) if dead[location.get(words) as usize] => &[],
            Guard::Alive(..) => &self.links,
        }
    }
}

/// The label and the type of each process that has a label.
type Slots = Vec<Option<(u8, u8)>>;

/// The action of permutations on the states of a shape.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) labels: usize,
    /// What belongs to each label: label by label, and where those of the next begin.
    own: Vec<Own>,
    ends: Vec<u32>,
    links: Vec<Links>,
    /// The words and shifts of all places.
    places: Vec<(u32, u32)>,
    /// The bits of each word that no permutation touches.
    kept: Vec<u64>,
    is_plain: bool,
    /// The label and the type of each process, and back.
    pids: Slots,
    pid_of: Vec<Vec<u8>>,
}

impl Action {
    /// The action of permutations of those indexes that have a label.
    pub(super) fn new(frame: &Frame<'_, '_>, label: &[u8], words: usize) -> Action {
        let labels = label.iter().filter(|&&it| it != NONE).count();
        let groups = cells::groups(frame, label, labels);
        let mut kept = vec![u64::MAX; words];
        for cell in groups.iter().flat_map(|group| &group.cells) {
            kept[cell.bits.word as usize] &= !cell.bits.mask();
        }
        let (pids, pid_of) = slots(frame, label, labels);
        let is_plain = groups.iter().all(|group| group.names == 0 || group.is_own());
        let mut action = Action {
            labels,
            own: Vec::new(),
            ends: vec![0],
            links: Vec::new(),
            places: Vec::new(),
            kept,
            is_plain,
            pids,
            pid_of,
        };
        let kinds: Vec<Kind> = groups.iter().enumerate().map(|(number, group)| action.place(number, group)).collect();
        for label in 0..labels as u8 {
            let all = groups.iter().zip(&kinds).filter(|(group, _)| group.is_own());
            let of_label = all.flat_map(|(group, &kind)| group.cells.iter().map(move |cell| (cell, kind)));
            let own = of_label.filter(|(cell, _)| cell.at[0] == label);
            action.own.extend(own.map(|(cell, kind)| Own { field: Field::new(cell.bits), kind }));
            action.ends.push(action.own.len() as u32);
        }
        for (group, &kind) in groups.iter().zip(&kinds).filter(|(group, _)| !group.is_own()) {
            group.cells.iter().for_each(|cell| action.link(group, cell, kind));
        }
        action.links.iter_mut().for_each(Links::order);
        action
    }

    /// The places of the cells of a group.
    fn place(&mut self, number: usize, group: &Group) -> Kind {
        let places = self.places.len();
        self.places.resize(places + self.labels.pow(group.names as u32), NOWHERE);
        for cell in &group.cells {
            let at = match cell.at {
                [NONE, _] => 0,
                [one, NONE] => usize::from(one),
                [one, other] => usize::from(one) * self.labels + usize::from(other),
            };
            self.places[places + at] = (cell.bits.word, u32::from(cell.bits.shift));
        }
        Kind { places: places as u32, salt: mix(number as u64, 1 << 63) }
    }

    /// Adds a link to those that are there together with it.
    fn link(&mut self, group: &Group, cell: &Cell, kind: Kind) {
        let message = if let Guard::Queued(_, place) = cell.guard { place } else { 0 };
        let guard = match &cell.guard {
            Guard::Queued(length, _) => Guard::Queued(*length, 0),
            other => other.clone(),
        };
        let at = self.links.iter().position(|it| it.guard == guard).unwrap_or_else(|| {
            self.links.push(Links { guard, links: Vec::new(), ends: Vec::new() });
            self.links.len() - 1
        });
        let links = &mut self.links[at];
        links.ends.push(message);
        links.links.push(Link { field: Field::new(cell.bits), kind, at: cell.at, rename: group.rename.clone() });
    }

    /// Whether all that is known of an index is in cells of its own: then equal cells mean equal states.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// How many fields there are.
    pub(super) fn fields(&self) -> usize {
        self.own.len() + self.links.iter().map(|it| it.links.len()).sum::<usize>()
    }

    /// The vector after a permutation.
    pub(super) fn apply(&self, from: &[u64], image: &[u8], to: &mut Vec<u64>) {
        to.clear();
        to.extend(from.iter().zip(&self.kept).map(|(word, kept)| word & kept));
        let to = to.as_mut_slice();
        for (ends, &label) in self.ends.windows(2).zip(image) {
            for own in &self.own[ends[0] as usize..ends[1] as usize] {
                let (word, shift) = self.places[own.kind.places as usize + usize::from(label)];
                to[word as usize] |= own.field.get(from) << shift;
            }
        }
        for links in &self.links {
            for link in links.live(from) {
                let held = link.field.get(from);
                let number = link.rename.as_ref().map_or(held, |rename| rename.apply(held, image));
                let (word, shift) = self.places[link.after(image, self.labels)];
                to[word as usize] |= number << shift;
            }
        }
    }

    /// The process that takes the place of another.
    pub(super) fn pid(&self, pid: u8, image: &[u8]) -> u8 {
        match self.pids.get(usize::from(pid)) {
            Some(Some((label, kind))) => self.pid_of[usize::from(*kind)][usize::from(image[usize::from(*label)])],
            _ => pid,
        }
    }

    /// The *keys* of all labels, which go with them under permutations: what belongs to each, and where it is named or
    /// found beside another.
    pub(super) fn keys(&self, words: &[u64], keys: &mut Vec<u64>) {
        keys.clear();
        keys.resize(self.labels, 0);
        for (ends, key) in self.ends.windows(2).zip(keys.iter_mut()) {
            for own in &self.own[ends[0] as usize..ends[1] as usize] {
                *key = key.wrapping_add(mix(own.kind.salt, own.field.get(words)));
            }
        }
        for links in &self.links {
            for link in links.live(words) {
                link.tell_apart(words, keys);
            }
        }
    }

    /// Keys to which the keys of those are added that are named or found beside each: a round of colour refinement.
    pub(super) fn refine(&self, words: &[u64], keys: &[u64], next: &mut Vec<u64>) {
        next.clear();
        next.extend_from_slice(keys);
        let key = |label: u8| if label == NONE { 0 } else { keys[usize::from(label)] };
        for link in self.links.iter().flat_map(|links| links.live(words)) {
            let (held, named) = link.read(words);
            let around = [link.at[0], link.at[1], named];
            let seen = mix(link.kind.salt, if named == NONE { held } else { 0 });
            let others = |role: usize| [key(around[(role + 1) % 3]), key(around[(role + 2) % 3])];
            tell(around, next, |role| {
                let others = others(role as usize);
                mix(mix(mix(seen, others[0]), others[1]), role + 1)
            });
        }
    }
}

impl Links {
    /// In the order of messages.
    fn order(&mut self) {
        let Guard::Queued(..) = self.guard else { return };
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        order.sort_by_key(|&at| self.ends[at]);
        let messages = self.ends.iter().max().map_or(0, |last| last + 1);
        let ends = (0..=messages).map(|count| self.ends.iter().filter(|&&place| place < count).count() as u32);
        self.ends = ends.collect();
        self.links = order.into_iter().map(|at| self.links[at].clone()).collect();
    }
}

/// Adds something to the key of each label, by its role.
#[inline]
fn tell(around: [u8; 3], keys: &mut [u64], what: impl Fn(u64) -> u64) {
    for (role, &label) in around.iter().enumerate().filter(|(_, label)| **label != NONE) {
        let key = &mut keys[usize::from(label)];
        *key = key.wrapping_add(what(role as u64));
    }
}

/// A step of a hash function.
#[inline]
fn mix(key: u64, number: u64) -> u64 {
    let mixed = (key ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn slots(frame: &Frame<'_, '_>, label: &[u8], labels: usize) -> (Slots, Vec<Vec<u8>>) {
    let mut kinds: Vec<ProctypeId> = frame.names.members.iter().flatten().map(|it| it.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut pid_of = vec![vec![0; labels]; kinds.len()];
    let mut pids = vec![None; frame.shape.processes.len()];
    for (index, members) in frame.names.members.iter().enumerate().filter(|(index, _)| label[*index] != NONE) {
        for &(proctype, pid) in members {
            let kind = kinds.binary_search(&proctype).expect("all are known");
            pids[pid] = Some((label[index], kind as u8));
            pid_of[kind][usize::from(label[index])] = pid as u8;
        }
    }
    (pids, pid_of)
}
