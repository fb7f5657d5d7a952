//! How large things may become.

use std::fmt;

/// What a translation may use before it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States of an automaton, before it is made smaller.
    pub states: usize,
    /// Cubes of all its labels, before it is made smaller.
    pub cubes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 1000, cubes: 20_000 }
    }
}

/// Why a translation gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The formula nests too deeply.
    Depth,
    /// The formula is too long.
    Size,
    /// The formula has too many atoms.
    Atoms,
    /// Too many different `<>` and `U`.
    Promises,
    /// The automaton has more states than this.
    States(usize),
    /// The labels of the automaton have more cubes than this.
    Cubes(usize),
    /// What a formula says of one letter is too complex.
    Function,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::Depth => write!(f, "the formula nests deeper than {}", crate::formula::MAX_DEPTH),
            TooLarge::Size => {
                write!(f, "the formula has more than {} operators and atoms", crate::formula::MAX_SIZE)
            }
            TooLarge::Atoms => write!(f, "the formula has more than {} atoms", crate::formula::MAX_ATOMS),
            TooLarge::Promises => {
                write!(f, "the formula has more than {} different '<>' and 'U'", crate::automaton::MAX_MARKS)
            }
            TooLarge::States(limit) => write!(f, "the automaton of the formula has more than {limit} states"),
            TooLarge::Cubes(limit) => {
                write!(f, "the labels of the automaton of the formula have more than {limit} parts")
            }
            TooLarge::Function => write!(f, "the formula says too many things of one state"),
        }
    }
}

impl std::error::Error for TooLarge {}
