//! The letters that labels can tell apart. Valuations of the atoms on which all labels agree are
//! one letter, so there are few of them, and a label is a small set of bits.
//!
//! Where there are too many, each label becomes a letter of its own. Then sets of letters may
//! overlap without showing it: inclusion is still right where it is found, intersection is not.

use crate::automaton::Automaton;
use crate::bdd::{self, Bdd, Function, Made};
use crate::label::Label;
use crate::limits::TooLarge;
use rustc_hash::FxHashMap;

/// More leaves of decisions than this are too many.
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

/// What letters are.
#[derive(Debug)]
enum Alphabet {
    /// Classes of valuations, which do not overlap.
    Classes(Bdd, Vec<Function>),
    /// The labels themselves.
    Labels(Vec<Label>),
}

/// The letters of some automata.
#[derive(Debug)]
pub(crate) struct Letters {
    alphabet: Alphabet,
    known: FxHashMap<Label, LetterSet>,
}

impl Letters {
    /// The letters of some automata: classes, unless there are too many.
    pub(crate) fn of(automata: &[&Automaton]) -> Letters {
        let labels = labels(automata);
        Letters::classes(&labels).unwrap_or_else(|_| Letters::overlapping(labels))
    }

    /// Letters that can be written as labels again, however large: each label is one.
    pub(crate) fn labels_of(automata: &[&Automaton]) -> Letters {
        Letters::overlapping(labels(automata))
    }

    fn classes(labels: &[Label]) -> Made<Letters> {
        let mut bdd = Bdd::new();
        let functions = labels.iter().map(|label| bdd.function(label)).collect::<Made<Vec<Function>>>()?;
        let mut partition = Partition { bdd, classes: FxHashMap::default(), leaves: 0 };
        partition.split(functions, bdd::TRUE)?;
        let mut classes: Vec<(Vec<bool>, Function)> = partition.classes.into_iter().collect();
        classes.sort_unstable();
        let known = labels.iter().enumerate().map(|(index, label)| {
            let mut set = LetterSet::empty(classes.len());
            (0..classes.len()).filter(|&letter| classes[letter].0[index]).for_each(|letter| set.insert(letter));
            (label.clone(), set)
        });
        let known = known.collect();
        let functions = classes.into_iter().map(|(_, class)| class).collect();
        Ok(Letters { alphabet: Alphabet::Classes(partition.bdd, functions), known })
    }

    fn overlapping(labels: Vec<Label>) -> Letters {
        let known = labels.iter().enumerate().map(|(index, label)| {
            let mut set = LetterSet::empty(labels.len());
            set.insert(index);
            (label.clone(), set)
        });
        Letters { known: known.collect(), alphabet: Alphabet::Labels(labels) }
    }

    /// Whether letters do not overlap.
    pub(crate) fn is_exact(&self) -> bool {
        match self.alphabet {
            Alphabet::Classes(..) => true,
            Alphabet::Labels(_) => false,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match &self.alphabet {
            Alphabet::Classes(_, classes) => classes.len(),
            Alphabet::Labels(labels) => labels.len(),
        }
    }

    /// The letters of a label of one of the automata.
    pub(crate) fn set(&self, label: &Label) -> LetterSet {
        self.known[label].clone()
    }

    /// A set of letters as a label.
    pub(crate) fn label(&mut self, set: &LetterSet) -> Made<Label> {
        match &mut self.alphabet {
            Alphabet::Classes(bdd, classes) => {
                let mut inside = (0..classes.len()).filter(|&letter| set.contains(letter));
                let function = inside.try_fold(bdd::FALSE, |sum, letter| bdd.or(sum, classes[letter]))?;
                bdd.label(function)
            }
            Alphabet::Labels(labels) => {
                let inside = (0..labels.len()).filter(|&letter| set.contains(letter));
                Ok(Label::new(inside.flat_map(|letter| labels[letter].cubes().to_vec()).collect()))
            }
        }
    }
}

/// The labels of some automata, each once.
fn labels(automata: &[&Automaton]) -> Vec<Label> {
    let edges = automata.iter().flat_map(|automaton| automaton.states.iter().flatten());
    let mut labels: Vec<Label> = edges.map(|edge| edge.label.clone()).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The search for classes: decides atoms until all labels are decided, or gives up.
struct Partition {
    bdd: Bdd,
    /// The class of valuations on which labels have given values.
    classes: FxHashMap<Vec<bool>, Function>,
    leaves: usize,
}

impl Partition {
    fn split(&mut self, labels: Vec<Function>, path: Function) -> Made<()> {
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
            let literal = self.bdd.literal(atom, positive)?;
            let path = self.bdd.and(path, literal)?;
            self.split(rest, path)?;
        }
        Ok(())
    }

    fn leaf(&mut self, labels: &[Function], path: Function) -> Made<()> {
        self.leaves += 1;
        if self.leaves > MAX_LETTERS {
            return Err(TooLarge::Function);
        }
        let values = labels.iter().map(|&label| label == bdd::TRUE).collect();
        let class = self.classes.entry(values).or_insert(bdd::FALSE);
        *class = self.bdd.or(*class, path)?;
        Ok(())
    }
}
