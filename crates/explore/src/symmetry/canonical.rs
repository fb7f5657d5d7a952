//! Representatives of orbits.
//!
//! Any element of the orbit of a state may stand for it: an element that is the same for the whole orbit only reduces
//! more. Indexes are ordered by *keys* that go with them: blocks are sorted, rings turned until their keys are least. Only
//! where keys are equal, and it matters, is more asked for: keys refined by those of the others (colour refinement), and then
//! vectors. Equal keys of different contents cost a little reduction, and no soundness.

use super::Strategy;
use super::action::Action;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// More permutations than this are not tried one by one.
pub(super) const PATIENCE: usize = 5_000;

/// Rounds of colour refinement.
const ROUNDS: usize = 2;

/// Blocks up to this size are sorted by counting, which has no branches to guess.
const SMALL: usize = 16;

/// The automorphisms of the states of a shape.
#[derive(Debug)]
pub(super) struct Automorphisms {
    pub(super) action: Action,
    /// Labels that may be permuted at will.
    pub(super) blocks: Vec<Vec<u8>>,
    /// Other permutations, each list closed under composition but for the identity.
    pub(super) rings: Vec<Vec<Vec<u8>>>,
    /// The labels that each of these lists moves, and the inverses of its elements.
    turns: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
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
    image: Vec<u8>,
    trial: Vec<u8>,
    words: Vec<u64>,
    best: Vec<u64>,
}

impl Automorphisms {
    pub(super) fn new(action: Action, blocks: Vec<Vec<u8>>, rings: Vec<Vec<Vec<u8>>>) -> Automorphisms {
        let inverse = |element: &Vec<u8>| {
            let mut inverse = element.clone();
            (0..).zip(element).for_each(|(from, &to)| inverse[usize::from(to)] = from);
            inverse
        };
        let is_moved = |ring: &[Vec<u8>], label: u8| ring.iter().any(|element| element[usize::from(label)] != label);
        let turns = |ring: &Vec<Vec<u8>>| {
            let moved = (0..action.labels as u8).filter(|&label| is_moved(ring, label)).collect();
            (moved, ring.iter().map(inverse).collect())
        };
        let turns = rings.iter().map(turns).collect();
        Automorphisms { action, blocks, rings, turns, elements: OnceLock::new(), generators: OnceLock::new() }
    }

    /// How many automorphisms there are; at most [`u64::MAX`].
    pub(super) fn order(&self) -> u64 {
        let block = |block: &Vec<u8>| (1..=block.len() as u64).fold(1, u64::saturating_mul);
        let ring = |ring: &Vec<Vec<u8>>| ring.len() as u64 + 1;
        self.blocks.iter().map(block).chain(self.rings.iter().map(ring)).fold(1, u64::saturating_mul)
    }

    /// How many fields are looked at for a representative, as a rule.
    pub(super) fn cost(&self, strategy: Strategy) -> u64 {
        (self.action.fields() as u64).saturating_mul(match strategy {
            Strategy::Sorted => 2,
            Strategy::Segmented | Strategy::Auto => 4,
            Strategy::Full if self.order() <= PATIENCE as u64 => self.order(),
            Strategy::Full | Strategy::Climb => self.generators().len() as u64 + 1,
        })
    }

    /// What is done if nothing else is asked for.
    pub(super) fn rule(&self) -> Strategy {
        if self.action.is_plain() { Strategy::Sorted } else { Strategy::Segmented }
    }

    /// Replaces a state by the representative of its orbit; which permutation leads there.
    pub(super) fn represent<'s>(&self, strategy: Strategy, words: &mut [u64], scratch: &'s mut Scratch) -> &'s [u8] {
        scratch.image.clear();
        scratch.image.extend(0..self.action.labels as u8);
        match strategy {
            Strategy::Sorted => {
                self.action.keys(words, &mut scratch.keys);
                self.order_by_keys(scratch);
                self.turn(words, scratch);
            }
            Strategy::Segmented => self.segmented(words, scratch),
            Strategy::Full if self.order() <= PATIENCE as u64 => self.least(words, scratch),
            Strategy::Full | Strategy::Climb | Strategy::Auto => self.climb(words, scratch),
        }
        &scratch.image
    }

    fn segmented(&self, words: &mut [u64], scratch: &mut Scratch) {
        self.action.keys(words, &mut scratch.keys);
        let mut ties = self.order_by_keys(scratch) && !self.action.is_plain() && !self.are_ties_idle(words, scratch);
        for _ in 0..ROUNDS {
            if ties {
                self.action.refine(words, &scratch.keys, &mut scratch.next);
                std::mem::swap(&mut scratch.keys, &mut scratch.next);
                ties = self.order_by_keys(scratch);
            }
        }
        self.turn(words, scratch);
        if ties && !self.are_ties_idle(words, scratch) {
            self.break_ties(words, scratch);
        }
    }

    /// Finds the permutation that puts keys in order; whether there are others that put them in the same.
    fn order_by_keys(&self, scratch: &mut Scratch) -> bool {
        let Scratch { keys, image, .. } = scratch;
        let mut ties = false;
        for block in &self.blocks {
            ties |= sort(block, keys, image);
        }
        for (ring, (moved, inverses)) in self.rings.iter().zip(&self.turns) {
            let (best, is_tied) = least_turn(moved, inverses, keys);
            ties |= is_tied;
            for &label in moved {
                image[usize::from(label)] = best.map_or(label, |best| ring[best][usize::from(label)]);
            }
        }
        ties
    }

    /// Permutes a vector as was found out, and the keys if they may be asked for again.
    fn turn(&self, words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { keys, next, image, words: to, .. } = scratch;
        if (0..).zip(image.iter()).all(|(from, &to)| from == to) {
            return;
        }
        self.action.apply(words, image, to);
        words.copy_from_slice(to);
        if !self.action.is_plain() {
            next.clone_from(keys);
            image.iter().zip(&*keys).for_each(|(&to, &key)| next[usize::from(to)] = key);
            std::mem::swap(keys, next);
        }
    }

    /// Whether no permutation of labels with equal keys changes the vector.
    fn are_ties_idle(&self, words: &[u64], scratch: &mut Scratch) -> bool {
        let Scratch { keys, trial, words: to, .. } = scratch;
        let is_same = |one: u8, other: u8| keys[usize::from(one)] == keys[usize::from(other)];
        for block in &self.blocks {
            for (at, &label) in block.iter().enumerate() {
                let Some(&other) = block[..at].iter().rev().find(|&&other| is_same(label, other)) else { continue };
                trial.clear();
                trial.extend(0..self.action.labels as u8);
                trial.swap(usize::from(label), usize::from(other));
                self.action.apply(words, trial, to);
                if to != words {
                    return false;
                }
            }
        }
        let mut turns = self.rings.iter().flatten().filter(|element| is_stable(element, keys));
        turns.all(|element| {
            self.action.apply(words, element, to);
            to == words
        })
    }

    /// Of the vectors that differ in the order of labels with equal keys the least is taken.
    fn break_ties(&self, words: &mut [u64], scratch: &mut Scratch) {
        let keys = &scratch.keys;
        let key = |label: u8| keys[usize::from(label)];
        let chunks = self.blocks.iter().flat_map(|block| block.chunk_by(|&one, &other| key(one) == key(other)));
        let runs: Vec<Vec<u8>> = chunks.filter(|run| run.len() > 1).map(<[u8]>::to_vec).collect();
        let stable = |ring: &Vec<Vec<u8>>| ring.iter().filter(|element| is_stable(element, keys)).cloned().collect();
        let turns: Vec<Vec<Vec<u8>>> = self.rings.iter().map(stable).collect();
        let orders = runs.iter().map(|run| (1..=run.len()).fold(1, usize::saturating_mul));
        let count = orders.chain(turns.iter().map(|turns| turns.len() + 1)).fold(1, usize::saturating_mul);
        if count <= PATIENCE {
            self.least_of(&elements(&runs, &turns, self.action.labels), words, scratch);
        } else {
            let mut generators = swaps(&runs, self.action.labels);
            generators.extend(turns.into_iter().flatten());
            self.climb_by(&generators, words, scratch);
        }
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

/// Where each label of a block goes if they are sorted by keys; whether some are equal.
fn sort(block: &[u8], keys: &[u64], image: &mut [u8]) -> bool {
    let key = |label: u8| keys[usize::from(label)];
    if block.len() > SMALL {
        let mut order = block.to_vec();
        order.sort_by_key(|&label| key(label));
        block.iter().zip(&order).for_each(|(&to, &from)| image[usize::from(from)] = to);
        return order.windows(2).any(|pair| key(pair[0]) == key(pair[1]));
    }
    // For each label its key and how many come before it.
    let mut seen = [(0_u64, 0_u8); SMALL];
    let mut ties = false;
    for (at, &label) in block.iter().enumerate() {
        let (before, rest) = seen.split_at_mut(at);
        let mine = key(label);
        let mut rank = 0;
        for (theirs, other) in before {
            *other += u8::from(*theirs > mine);
            rank += u8::from(*theirs <= mine);
            ties |= *theirs == mine;
        }
        rest[0] = (mine, rank);
    }
    block.iter().zip(seen).for_each(|(&label, (_, rank))| image[usize::from(label)] = block[usize::from(rank)]);
    ties
}

/// The element of a ring after which keys are least, or none for the identity; whether another does the same.
fn least_turn(moved: &[u8], inverses: &[Vec<u8>], keys: &[u64]) -> (Option<usize>, bool) {
    let (mut best, mut is_tied) = (None::<usize>, false);
    for (at, inverse) in inverses.iter().enumerate() {
        let after = |place: u8| keys[usize::from(inverse[usize::from(place)])];
        let least = |place: u8| keys[usize::from(best.map_or(place, |best| inverses[best][usize::from(place)]))];
        match moved.iter().map(|&it| after(it).cmp(&least(it))).find(|it| it.is_ne()) {
            Some(Ordering::Less) => (best, is_tied) = (Some(at), false),
            Some(_) => {}
            None => is_tied = true,
        }
    }
    (best, is_tied)
}

/// Whether a permutation leaves all keys where they are.
fn is_stable(element: &[u8], keys: &[u64]) -> bool {
    element.iter().zip(keys).all(|(&to, &key)| keys[usize::from(to)] == key)
}
