//! The letters that labels can tell apart. Valuations of the atoms on which all labels agree are
//! one letter, so there are few of them, and a label is a small set of bits.
//!
//! Where there are too many, each label becomes a letter of its own. Then sets of letters may
//! overlap without showing it: inclusion is still right where it is found, intersection is not.

use crate::automaton::Automaton;
use crate::bdd::{self, Bdd, Function};
use crate::label::Label;
use rustc_hash::FxHashMap;

/// More decisions than this are too many.
const MAX_LETTERS: usize = 4096;

/// A set of letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LetterSet(Vec<u64>);

impl LetterSet {
    pub(crate) fn empty(letters: usize) -> LetterSet {
        LetterSet(vec![0; letters.div_ceil(64)])
    }

    pub(crate) fn full(letters: usize) -> LetterSet {
        let mut set = LetterSet::empty(letters);
        (0..letters).for_each(|letter| set.insert(letter));
        set
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
    known: FxHashMap<Label, LetterSet>,
    is_exact: bool,
}

impl Letters {
    /// The letters of some automata.
    pub(crate) fn of(automata: &[&Automaton]) -> Letters {
        let edges = automata.iter().flat_map(|automaton| automaton.states.iter().flatten());
        let mut labels: Vec<&Label> = edges.map(|edge| &edge.label).collect();
        labels.sort_unstable();
        labels.dedup();
        let mut bdd = Bdd::new();
        let functions: Vec<Function> = labels.iter().map(|label| bdd.function(label)).collect();
        let mut partition = Partition { bdd, classes: FxHashMap::default(), leaves: 0 };
        let is_exact = partition.split(functions.clone(), bdd::TRUE).is_some();
        let mut classes: Vec<(Vec<bool>, Function)> = partition.classes.into_iter().collect();
        classes.sort_unstable();
        let letters = if is_exact { classes.len() } else { labels.len() };
        let is_member = |label: usize, letter: usize| if is_exact { classes[letter].0[label] } else { label == letter };
        let set = |label: usize| {
            let mut set = LetterSet::empty(letters);
            (0..letters).filter(|&letter| is_member(label, letter)).for_each(|letter| set.insert(letter));
            set
        };
        let known = labels.iter().enumerate().map(|(index, &label)| (label.clone(), set(index))).collect();
        let classes = if is_exact { classes.iter().map(|&(_, class)| class).collect() } else { functions };
        Letters { bdd: partition.bdd, classes, known, is_exact }
    }

    /// Whether letters do not overlap.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
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

/// The search for classes: decides atoms until all labels are decided, or gives up.
struct Partition {
    bdd: Bdd,
    /// The class of valuations on which labels have given values.
    classes: FxHashMap<Vec<bool>, Function>,
    leaves: usize,
}

impl Partition {
    fn split(&mut self, labels: Vec<Function>, path: Function) -> Option<()> {
        let atom = labels.iter().map(|&label| self.bdd.top(label)).min().unwrap_or(bdd::NO_VARIABLE);
        if atom == bdd::NO_VARIABLE {
            return self.leaf(&labels, path);
        }
        for positive in [false, true] {
            let branch = |&label: &Function| {
                let (low, high) = self.bdd.cofactors(label, atom);
                if positive { high } else { low }
            };
            let rest = labels.iter().map(branch).collect();
            let literal = self.bdd.literal(atom, positive);
            let path = self.bdd.and(path, literal);
            self.split(rest, path)?;
        }
        Some(())
    }

    fn leaf(&mut self, labels: &[Function], path: Function) -> Option<()> {
        let values = labels.iter().map(|&label| label == bdd::TRUE).collect();
        let class = self.classes.entry(values).or_insert(bdd::FALSE);
        *class = self.bdd.or(*class, path);
        self.leaves += 1;
        let too_large = self.bdd.overflowed() || self.leaves > MAX_LETTERS;
        if too_large { None } else { Some(()) }
    }
}
