//! Formulas of linear temporal logic to small Büchi automata. Atoms are numbers: nothing here knows
//! of PROMELA.

mod acceptance;
mod automaton;
mod bdd;
mod degeneralise;
mod explicit;
mod formula;
mod hoa;
mod label;
mod letters;
mod limits;
mod parse;
mod positive;
mod print;
mod product;
mod prune;
mod redundant;
mod scc;
mod simulation;
mod strength;
mod stutter;
mod tableau;
mod translate;
mod weak;
mod word;

#[cfg(test)]
mod tests;

pub use automaton::{Automaton, Edge, MAX_MARKS, StateId};
pub use degeneralise::Acceptance;
pub use formula::{Atom, Formula, MAX_ATOMS, MAX_DEPTH, MAX_SIZE, Node};
pub use hoa::{Hoa, read_hoa};
pub use label::{Cube, Label};
pub use limits::{Limits, TooLarge};
pub use parse::{ParseError, Parsed, parse};
pub use print::Names;
pub use strength::Strength;
pub use stutter::Stutter;
pub use translate::translate;
pub use word::Word;
