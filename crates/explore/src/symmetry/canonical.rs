//! Representatives of orbits.
//!
//! Any element of the orbit of a state may stand for it: an element that is the same for the whole orbit only reduces
//! more. Indexes are sorted by *keys* that no permutation changes: a number for all that an index holds itself, who names
//! it, and, as in colour refinement, the keys of those that it names. Equal keys of different contents cost a little
//! reduction, and no soundness.

use super::Strategy;
use super::action::{Action, Group, NONE};

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
    /// How many automorphisms there are; at most [`u64::MAX`].
    pub(super) fn order(&self) -> u64 {
        let block = |block: &Vec<u8>| (1..=block.len() as u64).fold(1, u64::saturating_mul);
        let ring = |ring: &Vec<Vec<u8>>| ring.len() as u64 + 1;
        self.blocks.iter().map(block).chain(self.rings.iter().map(ring)).fold(1, u64::saturating_mul)
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
            own_keys(group, number as u64, words, keys);
        }
        for _ in 0..rounds {
            next.clone_from(keys);
            for (number, group) in self.action.groups.iter().enumerate() {
                refine(group, number as u64, words, keys, next);
            }
            std::mem::swap(keys, next);
        }
        // Who has come to the end goes last: only the youngest can end.
        for group in &self.action.groups {
            let Some(ends) = group.ends.as_ref().filter(|_| group.names == 1) else { continue };
            for cell in &group.cells {
                let key = &mut keys[usize::from(cell.at[0])];
                *key = *key >> 1 | u64::from(ends[cell.bits.get(words) as usize]) << 63;
            }
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
            self.least_of(&runs, &[], words, scratch);
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
        self.least_of(&self.blocks, &self.rings, words, scratch);
    }

    fn least_of(&self, blocks: &[Vec<u8>], rings: &[Vec<Vec<u8>>], words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { image, words: to, best, .. } = scratch;
        best.clear();
        best.extend_from_slice(words);
        let mut chosen: Vec<u8> = (0..self.action.labels as u8).collect();
        let identity = chosen.clone();
        each_element(blocks, rings, &identity, &mut |element| {
            self.action.apply(words, element, to);
            if *to < *best {
                best.clone_from(to);
                chosen.copy_from_slice(element);
            }
        });
        words.copy_from_slice(best);
        image.iter_mut().for_each(|to| *to = chosen[usize::from(*to)]);
    }

    /// Goes on to a lesser vector by single steps, as long as there is one: hill climbing.
    fn climb(&self, words: &mut [u64], scratch: &mut Scratch) {
        let mut generators = swaps(&self.blocks, self.action.labels);
        generators.extend(self.rings.iter().flatten().cloned());
        self.climb_by(&generators, words, scratch);
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

/// Visits all products of permutations within blocks and elements of rings.
fn each_element(blocks: &[Vec<u8>], rings: &[Vec<Vec<u8>>], image: &[u8], visit: &mut dyn FnMut(&[u8])) {
    if let Some((block, blocks)) = blocks.split_first() {
        let mut order = block.clone();
        each_order(&mut order, 0, &mut |order| {
            let mut next = image.to_vec();
            block.iter().zip(order).for_each(|(&from, &to)| next[usize::from(from)] = image[usize::from(to)]);
            each_element(blocks, rings, &next, visit);
        });
    } else if let Some((ring, rings)) = rings.split_first() {
        each_element(&[], rings, image, visit);
        for element in ring {
            let next: Vec<u8> = image.iter().map(|&to| element[usize::from(to)]).collect();
            each_element(&[], rings, &next, visit);
        }
    } else {
        visit(image);
    }
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

/// Adds what a group says of each label itself.
#[inline]
fn own_keys(group: &Group, number: u64, words: &[u64], keys: &mut [u64]) {
    for (place, cell) in group.cells.iter().enumerate() {
        let held = cell.bits.get(words);
        let named = group.rename.as_ref().filter(|_| cell.guard.holds(words)).map_or(NONE, |it| it.label(held));
        let [one, other] = cell.at;
        match group.names {
            0 if named != NONE => {
                let key = &mut keys[usize::from(named)];
                *key = key.wrapping_add(mix(number << 32, place as u64 + 1));
            }
            0 => {}
            _ => {
                // Who is named is not known here, but whether it is the index itself.
                let held = if named == NONE { held } else { !u64::from(named == one) };
                let is_own = group.names == 1 || one == other;
                let key = &mut keys[usize::from(one)];
                *key = if is_own { key.wrapping_add(mix(mix(number, held), 1)) } else { *key };
            }
        }
    }
}

/// Adds what a group says of labels by other labels.
fn refine(group: &Group, number: u64, words: &[u64], keys: &[u64], next: &mut [u64]) {
    if group.names == 0 || group.names == 1 && group.rename.is_none() {
        return;
    }
    for cell in &group.cells {
        let held = cell.bits.get(words);
        let named = group.rename.as_ref().filter(|_| cell.guard.holds(words)).map_or(NONE, |it| it.label(held));
        let held = if named == NONE { held } else { keys[usize::from(named)] };
        let around = cell.at[..group.names].iter().copied().chain(Some(named).filter(|&it| it != NONE));
        let all: Vec<u8> = around.collect();
        for (role, &label) in all.iter().enumerate() {
            let others = all.iter().enumerate().filter(|(at, _)| *at != role);
            let seen =
                others.fold(mix(number, held), |seen, (at, &it)| mix(mix(seen, keys[usize::from(it)]), at as u64));
            let key = &mut next[usize::from(label)];
            *key = key.wrapping_add(mix(seen, role as u64 + 1));
        }
    }
}
