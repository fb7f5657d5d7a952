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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts(u32);

impl Facts {
    pub(super) fn accepts(self) -> bool {
        self.0 & ACCEPTS != 0
    }

    /// The number of the letter.
    pub(super) fn letter(self) -> usize {
        (self.0 & !ACCEPTS) as usize - 1
    }
}

/// A look at a state, and what it told.
#[derive(Clone, Debug, Default)]
struct Seen {
    glance: Vec<u64>,
    facts: Facts,
}

/// The letters of states. States that look the same where the propositions look have the same letter: they are
/// evaluated only if nothing that looked so was seen lately. To keep the letter of each state would cost more.
pub(super) struct Letters<'m> {
    propositions: Propositions<'m>,
    /// The states that were seen with a process at an `accept` label, if these matter.
    accepting: Option<Paged<u8>>,
    letters: Vec<Letter>,
    numbers: FxHashMap<Letter, u32>,
    /// For each shape, where the propositions look.
    glances: Vec<Option<Vec<(usize, u64)>>>,
    seen: Vec<Seen>,
    glance: Vec<u64>,
}

impl<'m> Letters<'m> {
    pub(super) fn new(shapes: Arc<Shapes<'m>>, claim: &Claim) -> Letters<'m> {
        Letters {
            propositions: Propositions::new(shapes, claim.atoms.clone()),
            accepting: claim.labels.then(Paged::default),
            letters: Vec::new(),
            numbers: FxHashMap::default(),
            glances: Vec::new(),
            seen: vec![Seen::default(); GLANCES],
            glance: Vec::new(),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.accepting.as_ref().map_or(0, Paged::memory) + GLANCES * size_of::<Seen>()
    }

    /// What is known of a state, given its words.
    pub(super) fn facts(&mut self, state: u32, words: &[u64]) -> Facts {
        let facts = self.evaluate_once(words);
        if let Some(accepting) = self.accepting.as_mut().filter(|_| facts.accepts()) {
            accepting.set(u64::from(state), 1);
        }
        facts
    }

    /// Makes the words of a state those of the same state when it is repeated: no step that passed labels led to it.
    /// Says whether they changed, and where they are.
    pub(super) fn rest(&self, words: &mut [u64]) -> Option<Arc<Shape>> {
        let shape = self.propositions.shapes().get(Shape::id_of(words[0]));
        let passed = shape.passed.filter(|bits| bits.get(words) != 0)?;
        passed.clear(words);
        Some(shape)
    }

    /// A letter by its number.
    pub(super) fn get(&self, number: usize) -> Letter {
        self.letters[number]
    }

    /// Whether a process is at an `accept` label in a state that was looked at.
    pub(super) fn accepts(&self, state: u32) -> bool {
        self.accepting.as_ref().is_some_and(|it| it.get(u64::from(state)) != 0)
    }

    /// What is wrong with the first of some propositions in a state.
    pub(super) fn fault(&mut self, words: &[u64], propositions: u64) -> Option<Fault> {
        self.propositions.letter(words);
        self.propositions.fault(propositions)
    }

    /// The facts from what the state looks like where the propositions look.
    fn evaluate_once(&mut self, words: &[u64]) -> Facts {
        let Letters { glances, propositions, glance, accepting, .. } = self;
        let id = Shape::id_of(words[0]) as usize;
        if glances.len() <= id {
            glances.resize_with(id + 1, || None);
        }
        let labels = accepting.is_some();
        let observed =
            glances[id].get_or_insert_with(|| propositions.observed(&propositions.shapes().get(id as u32), labels));
        glance.clear();
        glance.push(id as u64);
        glance.extend(observed.iter().map(|&(word, mask)| words[word] & mask));
        let place = place(glance);
        if self.seen[place].glance == self.glance {
            return self.seen[place].facts;
        }
        let facts = self.evaluate(words);
        let seen = &mut self.seen[place];
        seen.glance.clone_from(&self.glance);
        seen.facts = facts;
        facts
    }

    fn evaluate(&mut self, words: &[u64]) -> Facts {
        let letter = self.propositions.letter(words);
        let next = self.letters.len() as u32;
        let number = *self.numbers.entry(letter).or_insert(next);
        if number == next {
            self.letters.push(letter);
        }
        let accepts = self.accepting.is_some() && self.propositions.is_at_accept();
        Facts((number + 1) | if accepts { ACCEPTS } else { 0 })
    }
}

/// Where a look is remembered.
fn place(glance: &[u64]) -> usize {
    let mix = |all: u64, word: &u64| (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    glance.iter().fold(0, mix) as usize % GLANCES
}
