//! Representatives of orbits.
//!
//! Any element of the orbit of a state may stand for it: an element that is the same for the whole orbit only reduces
//! more. Indexes are sorted by *keys* that no permutation changes: a number for all that an index holds itself, who names
//! it, and, as in colour refinement, the keys of those that it names. Equal keys of different contents cost a little
//! reduction, and no soundness.

use super::Strategy;
use super::action::{Action, Group, NONE};
use std::sync::OnceLock;

/// More permutations than this are not tried one by one.
pub(super) const PATIENCE: usize = 5_000;

/// Rounds of colour refinement.
const ROUNDS: usize = 2;

/// The automorphisms of the states of a shape.
#[derive(Debug)]
pub(super) struct Automorphisms {
    pub(super) action: Action,
    /// Labels that may be permuted at will.
    pub(super) blocks: Vec<Vec<u8>>,
    /// Other permutations, each list closed under composition but for the identity.
    pub(super) rings: Vec<Vec<Vec<u8>>>,
    /// All, if they are few and asked for.
    elements: OnceLock<Vec<Vec<u8>>>,
    /// Permutations that generate all, if they are asked for.
    generators: OnceLock<Vec<Vec<u8>>>,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    keys: Vec<u64>,
    next: Vec<u64>,
    order: Vec<u8>,
    image: Vec<u8>,
    trial: Vec<u8>,
    words: Vec<u64>,
    best: Vec<u64>,
}

impl Automorphisms {
    pub(super) fn new(action: Action, blocks: Vec<Vec<u8>>, rings: Vec<Vec<Vec<u8>>>) -> Automorphisms {
        Automorphisms { action, blocks, rings, elements: OnceLock::new(), generators: OnceLock::new() }
    }

    /// How many automorphisms there are; at most [`u64::MAX`].
    pub(super) fn order(&self) -> u64 {
        let block = |block: &Vec<u8>| (1..=block.len() as u64).fold(1, u64::saturating_mul);
        let ring = |ring: &Vec<Vec<u8>>| ring.len() as u64 + 1;
        self.blocks.iter().map(block).chain(self.rings.iter().map(ring)).fold(1, u64::saturating_mul)
    }

    /// How many fields are looked at for a representative, as a rule.
    pub(super) fn cost(&self, strategy: Strategy) -> u64 {
        let cells = self.action.groups.iter().map(|group| group.cells.len() as u64).sum::<u64>();
        cells.saturating_mul(match strategy {
            Strategy::Sorted => 2,
            Strategy::Segmented | Strategy::Auto => 4,
            Strategy::Full if self.order() <= PATIENCE as u64 => self.order(),
            Strategy::Full | Strategy::Climb => self.generators().len() as u64 + 1,
        })
    }

    /// What is done if nothing else is asked for: all elements of a small group are tried where sorting is not enough.
    pub(super) fn rule(&self) -> Strategy {
        match self.rings.is_empty() {
            true if self.action.is_plain() => Strategy::Sorted,
            true => Strategy::Segmented,
            false => Strategy::Full,
        }
    }

    /// Replaces a state by the representative of its orbit; which permutation leads there.
    pub(super) fn represent<'s>(&self, strategy: Strategy, words: &mut [u64], scratch: &'s mut Scratch) -> &'s [u8] {
        scratch.image.clear();
        scratch.image.extend(0..self.action.labels as u8);
        match strategy {
            Strategy::Sorted => {
                self.keys(words, 0, scratch);
                self.sort(words, scratch);
            }
            Strategy::Segmented => {
                self.keys(words, if self.action.is_plain() { 0 } else { ROUNDS }, scratch);
                self.sort(words, scratch);
                self.break_ties(words, scratch);
            }
            Strategy::Full if self.order() <= PATIENCE as u64 => self.least(words, scratch),
            Strategy::Full | Strategy::Climb | Strategy::Auto => self.climb(words, scratch),
        }
        &scratch.image
    }

    /// The keys of all labels.
    fn keys(&self, words: &[u64], rounds: usize, scratch: &mut Scratch) {
        let Scratch { keys, next, .. } = scratch;
        keys.clear();
        keys.resize(self.action.labels, 0);
        for (number, group) in self.action.groups.iter().enumerate() {
            own_keys(group, number, words, keys);
        }
        for _ in 0..rounds {
            next.clone_from(keys);
            for (number, group) in self.action.groups.iter().enumerate() {
                refine(group, number, words, keys, next);
            }
            std::mem::swap(keys, next);
        }
    }

    /// Sorts every block by keys.
    fn sort(&self, words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { keys, order, image, words: to, .. } = scratch;
        let mut is_sorted = true;
        for block in &self.blocks {
            order.clear();
            order.extend_from_slice(block);
            // Insertion: blocks are small, and a successor differs from a sorted state in little.
            for at in 1..order.len() {
                let mut place = at;
                while place > 0 && keys[usize::from(order[place - 1])] > keys[usize::from(order[place])] {
                    order.swap(place - 1, place);
                    place -= 1;
                }
                is_sorted &= place == at;
            }
            block.iter().zip(order.iter()).for_each(|(&to, &from)| image[usize::from(from)] = to);
        }
        if !is_sorted {
            self.action.apply(words, image, to);
            words.copy_from_slice(to);
            let sorted = &mut scratch.next;
            sorted.clone_from(keys);
            image.iter().zip(&*keys).for_each(|(&to, &key)| sorted[usize::from(to)] = key);
            std::mem::swap(keys, sorted);
        }
    }

    /// Of the vectors that differ in the order of labels with equal keys the least is taken.
    fn break_ties(&self, words: &mut [u64], scratch: &mut Scratch) {
        if self.action.is_plain() {
            return;
        }
        let keys = &scratch.keys;
        let key = |label: u8| keys[usize::from(label)];
        let runs: Vec<Vec<u8>> = self
            .blocks
            .iter()
            .flat_map(|block| block.chunk_by(|&one, &other| key(one) == key(other)))
            .filter(|run| run.len() > 1)
            .map(<[u8]>::to_vec)
            .collect();
        if runs.is_empty() || self.are_swaps_idle(&runs, words, scratch) {
            return;
        }
        let count =
            runs.iter().map(|run| (1..=run.len()).fold(1, usize::saturating_mul)).fold(1, usize::saturating_mul);
        if count <= PATIENCE {
            self.least_of(&elements(&runs, &[], self.action.labels), words, scratch);
        } else {
            self.climb_by(&swaps(&runs, self.action.labels), words, scratch);
        }
    }

    fn are_swaps_idle(&self, runs: &[Vec<u8>], words: &[u64], scratch: &mut Scratch) -> bool {
        let Scratch { trial, words: to, .. } = scratch;
        for pair in runs.iter().flat_map(|run| run.windows(2)) {
            trial.clear();
            trial.extend(0..self.action.labels as u8);
            trial.swap(usize::from(pair[0]), usize::from(pair[1]));
            self.action.apply(words, trial, to);
            if to != words {
                return false;
            }
        }
        true
    }

    /// The least vector of the whole orbit.
    fn least(&self, words: &mut [u64], scratch: &mut Scratch) {
        let elements = self.elements.get_or_init(|| elements(&self.blocks, &self.rings, self.action.labels));
        self.least_of(elements, words, scratch);
    }

    fn least_of(&self, elements: &[Vec<u8>], words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { image, words: to, best, .. } = scratch;
        best.clear();
        best.extend_from_slice(words);
        let mut chosen = None;
        for element in elements {
            self.action.apply(words, element, to);
            if *to < *best {
                std::mem::swap(best, to);
                chosen = Some(element);
            }
        }
        if let Some(element) = chosen {
            words.copy_from_slice(best);
            image.iter_mut().for_each(|to| *to = element[usize::from(*to)]);
        }
    }

    /// Permutations that generate all.
    fn generators(&self) -> &[Vec<u8>] {
        self.generators.get_or_init(|| {
            let mut generators = swaps(&self.blocks, self.action.labels);
            generators.extend(self.rings.iter().flatten().cloned());
            generators
        })
    }

    /// The images of a state under these.
    pub(super) fn images(&self, state: &[u64]) -> Vec<Vec<u64>> {
        let image = |generator: &Vec<u8>| {
            let mut to = Vec::new();
            self.action.apply(state, generator, &mut to);
            to
        };
        self.generators().iter().map(image).collect()
    }

    /// Goes on to a lesser vector by single steps, as long as there is one: hill climbing.
    fn climb(&self, words: &mut [u64], scratch: &mut Scratch) {
        self.climb_by(self.generators(), words, scratch);
    }

    fn climb_by(&self, generators: &[Vec<u8>], words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { image, words: to, .. } = scratch;
        loop {
            let lesser = generators.iter().find(|generator| {
                self.action.apply(words, generator, to);
                to.as_slice() < &*words
            });
            let Some(generator) = lesser else { return };
            words.copy_from_slice(to);
            image.iter_mut().for_each(|to| *to = generator[usize::from(*to)]);
        }
    }
}

/// The transpositions of neighbours.
fn swaps(blocks: &[Vec<u8>], labels: usize) -> Vec<Vec<u8>> {
    let swap = |pair: &[u8]| {
        let mut image: Vec<u8> = (0..labels as u8).collect();
        image.swap(usize::from(pair[0]), usize::from(pair[1]));
        image
    };
    blocks.iter().flat_map(|block| block.windows(2).map(swap)).collect()
}

/// All products of permutations within blocks and elements of rings.
fn elements(blocks: &[Vec<u8>], rings: &[Vec<Vec<u8>>], labels: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![(0..labels as u8).collect()];
    for block in blocks {
        let mut orders = Vec::new();
        each_order(&mut block.clone(), 0, &mut |order| orders.push(order.to_vec()));
        let permuted = |image: &Vec<u8>, order: &Vec<u8>| {
            let mut next = image.clone();
            block.iter().zip(order).for_each(|(&from, &to)| next[usize::from(from)] = to);
            next
        };
        all = all.iter().flat_map(|image| orders.iter().map(move |order| permuted(image, order))).collect();
    }
    for ring in rings {
        let turned = |image: &Vec<u8>, element: &Vec<u8>| image.iter().map(|&to| element[usize::from(to)]).collect();
        let more: Vec<Vec<u8>> =
            all.iter().flat_map(|image| ring.iter().map(move |element| turned(image, element))).collect();
        all.extend(more);
    }
    all
}

fn each_order(order: &mut Vec<u8>, from: usize, visit: &mut dyn FnMut(&[u8])) {
    if from == order.len() {
        return visit(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        each_order(order, from + 1, visit);
        order.swap(from, at);
    }
}

/// A step of a hash function.
#[inline]
fn mix(key: u64, number: u64) -> u64 {
    let mixed = (key ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// What a number means that stands in a group.
#[inline]
fn told(group: usize, held: u64) -> u64 {
    mix(mix(group as u64, 1 << 63), held)
}

/// Adds what a group says of each label itself.
#[inline]
fn own_keys(group: &Group, number: usize, words: &[u64], keys: &mut [u64]) {
    for cell in &group.cells {
        let held = cell.bits.get(words);
        let named = group.rename.as_ref().filter(|_| cell.guard.holds(words)).map_or(NONE, |it| it.label(held));
        let [one, other] = cell.at;
        let (label, held) = match group.names {
            0 => (named, 0),
            2 if one != other => (NONE, 0),
            // Who is named is not known here, but whether it is the index itself.
            _ if named != NONE => (one, !u64::from(named == one)),
            _ => (one, held),
        };
        if label != NONE {
            let key = &mut keys[usize::from(label)];
            *key = key.wrapping_add(told(number, held));
        }
    }
}

/// Adds what a group says of labels by other labels.
fn refine(group: &Group, number: usize, words: &[u64], keys: &[u64], next: &mut [u64]) {
    if group.names == 0 || group.names == 1 && group.rename.is_none() {
        return;
    }
    let key = |label: u8| if label == NONE { 0 } else { keys[usize::from(label)] };
    for cell in &group.cells {
        let held = cell.bits.get(words);
        let named = group.rename.as_ref().filter(|_| cell.guard.holds(words)).map_or(NONE, |it| it.label(held));
        let held = if named == NONE { held } else { 0 };
        let around = [cell.at[0], cell.at[1], named];
        for (role, &label) in around.iter().enumerate().filter(|(_, label)| **label != NONE) {
            let others = [key(around[(role + 1) % 3]), key(around[(role + 2) % 3])];
            let seen = mix(mix(told(number, held), others[0]), others[1]);
            let key = &mut next[usize::from(label)];
            *key = key.wrapping_add(mix(seen, role as u64 + 1));
        }
    }
}
