//! Fields that hold names, or belong to two labels.

use super::action::NONE;
use super::cells::{Cell, Group, Guard, Rename};
use spinor_exec::Bits;
use std::sync::Arc;

/// A number that is odd, and whose bits are as good as random.
pub(super) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A step of a hash function.
#[inline]
pub(super) fn mix(key: u64, number: u64) -> u64 {
    let mixed = (key ^ number).wrapping_mul(ODD);
    mixed ^ mixed >> 29
}

/// Labels that some link relates to others: a bit for each, which labels that are too many share.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Related(u64);

impl Related {
    fn add(&mut self, label: u8) {
        self.0 |= 1 << (label % 64);
    }

    /// Whether a label may be among them.
    pub(super) fn contains(self, label: u8) -> bool {
        self.0 >> (label % 64) & 1 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Where they are after a permutation.
    pub(super) fn moved(self, step: &[u8]) -> Related {
        let mut moved = Related::default();
        (0..).zip(step).filter(|(label, _)| self.contains(*label)).for_each(|(_, &to)| moved.add(to));
        moved
    }
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

/// Bits of a word that are to be changed. What is read of a word next does not wait for what was written to it last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    word: u32,
    bits: u64,
}

impl Change {
    #[inline]
    pub(super) fn add(&mut self, words: &mut [u64], word: u32, bits: u64) {
        if word != self.word {
            self.make(words);
            *self = Change { word, bits: 0 };
        }
        self.bits ^= bits;
    }

    #[inline]
    pub(super) fn make(self, words: &mut [u64]) {
        words[self.word as usize] ^= self.bits;
    }
}

/// What is common to fields that change places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Where the places of such fields begin, by labels.
    pub(super) places: u32,
    /// What a hash of such a field begins with.
    pub(super) salt: u64,
}

/// A field that holds a name, or belongs to two labels.
#[derive(Clone, Debug)]
pub(super) struct Link {
    field: Field,
    kind: Kind,
    at: [u8; 2],
    rename: Option<Arc<Rename>>,
}

impl Link {
    /// The place among all places where it is after a permutation, and what it holds there.
    #[inline]
    pub(super) fn permuted(&self, words: &[u64], image: &[u8]) -> (usize, u64) {
        let held = self.field.get(words);
        let to = |label: u8| usize::from(image[usize::from(label)]);
        let at = match self.at {
            [NONE, _] => 0,
            [one, NONE] => to(one),
            [one, other] => to(one) * image.len() + to(other),
        };
        (self.kind.places as usize + at, self.rename.as_ref().map_or(held, |rename| rename.apply(held, image)))
    }

    /// What it holds, and whose name that is: then which of its names.
    #[inline]
    fn read(&self, words: &[u64]) -> (u64, u8) {
        let held = self.field.get(words);
        match self.rename.as_ref().map(|rename| rename.name(held)) {
            None | Some((NONE, _)) => (held, NONE),
            Some((label, variant)) => (variant.into(), label),
        }
    }

    /// Adds what it holds to the keys of those around it, and tells whom it relates.
    #[inline]
    pub(super) fn tell_apart(&self, words: &[u64], keys: &mut [u64], related: &mut Related) {
        let (held, named) = self.read(words);
        if self.at[0] == NONE {
            // The most of links are names in global variables and queues.
            if named != NONE {
                let seen = self.kind.salt.wrapping_add(held.wrapping_mul(ODD));
                keys[usize::from(named)] = keys[usize::from(named)].wrapping_add(seen);
            }
            return;
        }
        let around = [self.at[0], self.at[1], named];
        if around[1..].iter().any(|&other| other != NONE && other != around[0]) {
            around.iter().filter(|&&label| label != NONE).for_each(|&label| related.add(label));
        }
        // Who is named is not known here, but whether it is one of those around, and by which of its names.
        let same = |one: usize, other: usize| u64::from(around[one] == around[other]);
        let held = if named == NONE { held } else { !(held << 2 | same(0, 2) << 1 | same(1, 2)) };
        let seen = mix(self.kind.salt, held) ^ same(0, 1);
        tell(around, keys, |role| mix(seen, role));
    }

    /// Adds the keys of those around it to each other: a part of a round of colour refinement.
    pub(super) fn refine(&self, words: &[u64], keys: &[u64], next: &mut [u64]) {
        let key = |label: u8| if label == NONE { 0 } else { keys[usize::from(label)] };
        let (held, named) = self.read(words);
        let around = [self.at[0], self.at[1], named];
        let seen = mix(self.kind.salt, if named == NONE { held } else { !held });
        let others = |role: usize| [key(around[(role + 1) % 3]), key(around[(role + 2) % 3])];
        tell(around, next, |role| {
            let others = others(role as usize);
            mix(mix(mix(seen, others[0]), others[1]), role + 1)
        });
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

/// Links that are there together.
#[derive(Debug)]
pub(super) struct Links {
    guard: Guard,
    links: Vec<Link>,
    /// In a queue: how many belong to so many messages.
    ends: Vec<u32>,
}

impl Links {
    /// Those that are there; the others are 0.
    #[inline]
    pub(super) fn live(&self, words: &[u64]) -> &[Link] {
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

    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Renames what links hold, where they lie.
    #[inline]
    pub(super) fn rename(&self, words: &mut [u64], image: &[u8]) {
        let mut change = Change::default();
        for link in self.live(words) {
            let Some(rename) = &link.rename else { continue };
            let held = link.field.get(words);
            change.add(words, link.field.word, (held ^ rename.apply(held, image)) << link.field.shift);
        }
        change.make(words);
    }

    /// The fields that say what is there, and what it is.
    pub(super) fn bits(&self, among: &mut [u64]) {
        for link in &self.links {
            among[link.field.word as usize] |= link.field.ones << link.field.shift;
        }
        if let Guard::Queued(bits, _) | Guard::Alive(bits, _) = &self.guard {
            among[bits.word as usize] |= bits.mask();
        }
    }

    /// Adds a link to those that are there together with it.
    pub(super) fn add(all: &mut Vec<Links>, group: &Group, cell: &Cell, kind: Kind) {
        let message = if let Guard::Queued(_, place) = cell.guard { place } else { 0 };
        let guard = match &cell.guard {
            Guard::Queued(length, _) => Guard::Queued(*length, 0),
            other => other.clone(),
        };
        let at = all.iter().position(|it| it.guard == guard).unwrap_or_else(|| {
            all.push(Links { guard, links: Vec::new(), ends: Vec::new() });
            all.len() - 1
        });
        let links = &mut all[at];
        links.ends.push(message);
        links.links.push(Link { field: Field::new(cell.bits), kind, at: cell.at, rename: group.rename.clone() });
    }

    /// Puts them into the order of messages, when all are there.
    pub(super) fn order(&mut self) {
        let Guard::Queued(..) = self.guard else { return };
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        order.sort_by_key(|&at| self.ends[at]);
        let messages = self.ends.iter().max().map_or(0, |last| last + 1);
        let ends = (0..=messages).map(|count| self.ends.iter().filter(|&&place| place < count).count() as u32);
        self.ends = ends.collect();
        self.links = order.into_iter().map(|at| self.links[at].clone()).collect();
    }
}
