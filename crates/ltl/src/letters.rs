//! The letters that labels can tell apart. Valuations of the atoms on which all labels agree are
//! one letter, so there are few of them, and a label is a small set of bits.

use crate::automaton::Automaton;
use crate::bdd::{self, Bdd, Function};
use crate::label::Label;
use crate::limits::TooLarge;
use std::collections::HashMap;

/// More letters than this are too many.
const MAX_LETTERS: usize = 4096;

/// A set of letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LetterSet(Vec<u64>);

impl LetterSet {
    pub(crate) fn empty(letters: usize) -> LetterSet {
        LetterSet(vec![0; letters.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, letter: usize) {
        self.0[letter / 64] |= 1 << (letter % 64);
    }

    pub(crate) fn contains(&self, letter: usize) -> bool {
        self.0[letter / 64] >> (letter % 64) & 1 == 1
    }

    pub(crate) fn add(&mut self, other: &LetterSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    pub(crate) fn remove(&mut self, other: &LetterSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, less)| *word &= !less);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn intersects(&self, other: &LetterSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// A partition of all valuations.
#[derive(Debug)]
pub(crate) struct Letters {
    bdd: Bdd,
    classes: Vec<Function>,
    known: HashMap<Label, LetterSet>,
}

impl Letters {
    /// The letters of some automata.
    pub(crate) fn of(automata: &[&Automaton]) -> Result<Letters, TooLarge> {
        let mut letters = Letters { bdd: Bdd::new(), classes: vec![bdd::TRUE], known: HashMap::new() };
        let edges = automata.iter().flat_map(|automaton| automaton.states.iter().flatten());
        for edge in edges {
            if letters.known.insert(edge.label.clone(), LetterSet(Vec::new())).is_none() {
                letters.refine(&edge.label)?;
            }
        }
        let labels: Vec<Label> = letters.known.keys().cloned().collect();
        for label in labels {
            let set = letters.compute(&label);
            letters.known.insert(label, set);
        }
        Ok(letters)
    }

    /// Splits classes on which a label does not agree.
    fn refine(&mut self, label: &Label) -> Result<(), TooLarge> {
        let function = self.bdd.function(label);
        let mut classes = Vec::with_capacity(self.classes.len());
        for class in std::mem::take(&mut self.classes) {
            let (inside, outside) = (self.bdd.and(class, function), self.bdd.minus(class, function));
            classes.extend([inside, outside].into_iter().filter(|&part| part != bdd::FALSE));
        }
        self.classes = classes;
        if self.bdd.overflowed() || self.classes.len() > MAX_LETTERS { Err(TooLarge::Letters) } else { Ok(()) }
    }

    fn compute(&mut self, label: &Label) -> LetterSet {
        let function = self.bdd.function(label);
        let mut set = LetterSet::empty(self.len());
        for letter in 0..self.len() {
            if self.bdd.and(self.classes[letter], function) != bdd::FALSE {
                set.insert(letter);
            }
        }
        set
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// The letters of a label of one of the automata.
    pub(crate) fn set(&self, label: &Label) -> LetterSet {
        self.known.get(label).cloned().unwrap_or_else(|| LetterSet::empty(self.len()))
    }

    /// A set of letters as a label.
    pub(crate) fn label(&mut self, set: &LetterSet) -> Label {
        let mut function = bdd::FALSE;
        for letter in (0..self.len()).filter(|&letter| set.contains(letter)) {
            function = self.bdd.or(function, self.classes[letter]);
        }
        self.bdd.label(function)
    }
}
