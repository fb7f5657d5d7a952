//! Automata over infinite words, with generalised Büchi acceptance on edges.

use crate::label::Label;

/// A state, by its place in [`Automaton::states`].
pub type StateId = u32;

/// Edges can be in this many acceptance sets.
pub const MAX_MARKS: usize = 64;

/// An automaton that accepts a word if a run on it takes, for each mark, edges with this mark
/// infinitely often. Without marks each infinite run accepts.
///
/// State-based acceptance is a special case: all edges out of a state have the same marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// How many atoms the labels may speak of.
    pub atoms: usize,
    /// How many marks there are.
    pub marks: usize,
    /// Where runs start.
    pub initial: StateId,
    /// The edges out of each state.
    pub states: Vec<Vec<Edge>>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The letters it can be taken with.
    pub label: Label,
    /// Its marks, as bits.
    pub marks: u64,
    /// Where it goes.
    pub target: StateId,
}

impl Automaton {
    /// All marks, as bits.
    #[must_use]
    pub fn all_marks(&self) -> u64 {
        mask(self.marks)
    }

    /// The number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether acceptance is that of states: all edges out of a state have the same marks.
    #[must_use]
    pub fn is_state_based(&self) -> bool {
        self.states.iter().all(|edges| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }

    /// The marks of a state, when acceptance is that of states. A state without edges has none.
    #[must_use]
    pub fn state_marks(&self, state: StateId) -> u64 {
        self.states[state as usize].first().map_or(0, |edge| edge.marks)
    }

    /// Whether each letter leads from each state to at most one other.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.states.iter().all(|edges| {
            let mut pairs = (0..edges.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            !pairs.any(|(i, j)| edges[i].label.intersects(&edges[j].label))
        })
    }

    /// An automaton that accepts nothing.
    #[must_use]
    pub fn empty(atoms: usize) -> Automaton {
        Automaton { atoms, marks: 0, initial: 0, states: vec![Vec::new()] }
    }
}

/// The lowest `count` bits.
pub(crate) fn mask(count: usize) -> u64 {
    if count >= MAX_MARKS { u64::MAX } else { (1 << count) - 1 }
}
