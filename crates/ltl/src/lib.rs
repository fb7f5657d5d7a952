//! Formulas of linear temporal logic to small Büchi automata. Atoms are numbers: nothing here knows
//! of PROMELA.

mod acceptance;
mod automaton;
mod bdd;
mod degeneralise;
mod explicit;
mod formula;
mod label;
mod letters;
mod limits;
mod parse;
mod positive;
mod product;
mod prune;
mod redundant;
mod scc;
mod simulation;
mod tableau;
mod translate;
mod weak;
mod word;

#[cfg(test)]
mod tests;

pub use automaton::{Automaton, Edge, MAX_MARKS, StateId};
pub use degeneralise::Acceptance;
pub use formula::{Atom, Formula, MAX_ATOMS, MAX_DEPTH, Node};
pub use label::{Cube, Label};
pub use limits::{Limits, TooLarge};
pub use parse::{ParseError, Parsed, parse};
pub use translate::translate;
pub use word::Word;
