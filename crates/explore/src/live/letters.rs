//! What the claim asks of states, evaluated once for each.

use super::claim::Claim;
use super::paged::Paged;
use rustc_hash::FxHashMap;
use spinor_exec::{Fault, Letter, Propositions, Shape, Shapes};
use std::sync::Arc;

/// How many looks are remembered.
const GLANCES: usize = 1 << 12;

/// A process is at an `accept` label.
const ACCEPTS: u32 = 1 << 31;

/// What is known of a state: the number of its letter, counted from 1, and [`ACCEPTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts(u32);

impl Facts {
    pub(super) fn accepts(self) -> bool {
        self.0 & ACCEPTS != 0
    }
}

/// The letters of states.
pub(super) struct Letters<'m> {
    propositions: Propositions<'m>,
    labels: bool,
    of_states: Paged<u32>,
    letters: Vec<Letter>,
    numbers: FxHashMap<Letter, u32>,
    /// For each shape, where the propositions look; and what was seen there before.
    glances: Vec<Option<Vec<(usize, u64)>>>,
    seen: FxHashMap<Box<[u64]>, u32>,
    glance: Vec<u64>,
}

impl<'m> Letters<'m> {
    pub(super) fn new(shapes: Arc<Shapes<'m>>, claim: &Claim) -> Letters<'m> {
        Letters {
            propositions: Propositions::new(shapes, claim.atoms.clone()),
            labels: claim.labels,
            of_states: Paged::default(),
            letters: Vec::new(),
            numbers: FxHashMap::default(),
            glances: Vec::new(),
            seen: FxHashMap::default(),
            glance: Vec::new(),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.of_states.memory()
    }

    /// What is known of a state, given its words.
    pub(super) fn facts(&mut self, state: u32, words: &[u64]) -> Facts {
        let known = self.of_states.get(u64::from(state));
        if known != 0 {
            return Facts(known);
        }
        let facts = self.evaluate_once(words);
        self.of_states.set(u64::from(state), facts);
        Facts(facts)
    }

    /// The letter of a state of which something is known.
    pub(super) fn letter(&self, facts: Facts) -> Letter {
        self.letters[(facts.0 & !ACCEPTS) as usize - 1]
    }

    /// Whether a process is at an `accept` label in a state, if that is known.
    pub(super) fn accepts(&self, state: u32) -> bool {
        Facts(self.of_states.get(u64::from(state))).accepts()
    }

    /// What is wrong with the first of some propositions in a state.
    pub(super) fn fault(&mut self, words: &[u64], propositions: u64) -> Option<Fault> {
        self.propositions.letter(words);
        self.propositions.fault(propositions)
    }

    /// The facts from what the state looks like where the propositions look.
    fn evaluate_once(&mut self, words: &[u64]) -> u32 {
        let Letters { glances, propositions, glance, labels, .. } = self;
        let id = Shape::id_of(words[0]) as usize;
        if glances.len() <= id {
            glances.resize_with(id + 1, || None);
        }
        let observed =
            glances[id].get_or_insert_with(|| propositions.observed(&propositions.shapes().get(id as u32), *labels));
        glance.clear();
        glance.push(id as u64);
        glance.extend(observed.iter().map(|&(word, mask)| words[word] & mask));
        if let Some(&known) = self.seen.get(&self.glance[..]) {
            return known;
        }
        let facts = self.evaluate(words);
        if self.seen.len() >= GLANCES {
            self.seen.clear();
        }
        self.seen.insert(self.glance.as_slice().into(), facts);
        facts
    }

    fn evaluate(&mut self, words: &[u64]) -> u32 {
        let letter = self.propositions.letter(words);
        let next = self.letters.len() as u32;
        let number = *self.numbers.entry(letter).or_insert(next);
        if number == next {
            self.letters.push(letter);
        }
        let accepts = self.labels && self.propositions.is_at_accept();
        (number + 1) | if accepts { ACCEPTS } else { 0 }
    }
}
