//! Symmetry reduction: of states that differ only in which process is which, one is enough.
//!
//! *Detection* is in the text ([`spinor_model::symmetry`]): which numbers are names. In the states of one shape it is then
//! known who has which name (`names`), which proposes permutations (`diagram`, `search`, `group`); whether they are
//! automorphisms is decided by `verify` alone. *Representatives* are computed on packed vectors (`cells`, `action`, `canonical`), by an engine around another ([`Quotient`]): searches, stores, provisos and
//! selectors see representatives only.

mod act;
mod action;
mod canonical;
mod cells;
mod diagram;
mod frame;
mod group;
mod links;
mod names;
mod orbit;
mod orders;
mod own;
mod quotient;
mod report;
mod search;
#[cfg(test)]
mod tests;
mod turns;
mod verify;

pub use quotient::Quotient;
pub use report::{ClassReport, PromiseReport, SymmetryReport, Trial};

use canonical::Automorphisms;
use frame::given_bits;
use group::Found;
use spinor_exec::{Bits, Shape, Shapes};
use spinor_model::Model;
use spinor_model::symmetry::Scalarsets;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

/// How representatives are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// By rule.
    #[default]
    Auto,
    /// Sorted by what each process holds itself.
    Sorted,
    /// Sorted, and of those that are equal so far all orders tried.
    Segmented,
    /// The least of all.
    Full,
    /// By single exchanges, as long as they lead to something less.
    Climb,
}

const STRATEGIES: [(&str, Strategy); 5] = [
    ("auto", Strategy::Auto),
    ("sorted", Strategy::Sorted),
    ("segmented", Strategy::Segmented),
    ("full", Strategy::Full),
    ("climb", Strategy::Climb),
];

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = STRATEGIES.iter().find(|(_, it)| it == self).map_or("", |(name, _)| *name);
        f.write_str(name)
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Strategy, String> {
        let names = || STRATEGIES.map(|it| it.0).join(", ");
        let known = STRATEGIES.iter().find(|(name, _)| *name == text);
        known.map(|it| it.1).ok_or_else(|| format!("there is no strategy `{text}`: there are {}", names()))
    }
}

/// The symmetries of a model, found out when a shape is first met and shared by all threads.
#[derive(Debug)]
pub struct Symmetries<'m> {
    shapes: Arc<Shapes<'m>>,
    sets: Scalarsets,
    strategy: Strategy,
    known: RwLock<Vec<Option<Arc<Orbits>>>>,
}

/// The orbits of the states of a shape.
#[derive(Debug)]
struct Orbits {
    shape: Arc<Shape>,
    /// Where processes stand whose next steps may not be symmetric, and where they are: those beyond the first 64 last.
    rest: Vec<(Bits, u64, Vec<bool>)>,
    /// Where it lies what processes were given.
    given: Vec<(usize, u64)>,
    /// The automorphisms, by what processes were given. They are found out when the first state comes, but depend on nothing
    /// else of it: so they are the same in all threads, processes and runs.
    groups: RwLock<HashMap<Vec<u64>, Arc<Automorphisms>>>,
}

impl<'m> Symmetries<'m> {
    /// The symmetries of a model, for states of these shapes.
    #[must_use]
    pub fn new(shapes: Arc<Shapes<'m>>, sets: Scalarsets, strategy: Strategy) -> Symmetries<'m> {
        Symmetries { shapes, sets, strategy, known: RwLock::default() }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.shapes.model()
    }

    /// The orbits of the states of a shape.
    fn orbits(&self, shape: u32) -> Arc<Orbits> {
        let id = shape as usize;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(orbits)) = known.get(id) {
            return orbits.clone();
        }
        drop(known);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() <= id {
            known.resize(id + 1, None);
        }
        known[id].get_or_insert_with(|| Arc::new(self.new_orbits(self.shapes.get(shape)))).clone()
    }

    fn new_orbits(&self, shape: Arc<Shape>) -> Orbits {
        let place = |process: &spinor_exec::ProcessPlace| {
            let quiet = &self.sets.quiet[usize::from(process.proctype.0)];
            let first = quiet.iter().take(64).rev().fold(0, |bits, &quiet| bits << 1 | u64::from(quiet));
            quiet.contains(&false).then(|| (process.location, first, quiet.clone()))
        };
        let rest = shape.processes.iter().filter_map(place).collect();
        let given = given_bits(&self.sets, &self.shapes, &shape);
        Orbits { shape, rest, given, groups: RwLock::default() }
    }

    /// The automorphisms of the states of a shape in which processes were given the same as in one.
    fn group(&self, orbits: &Orbits, state: &[u64]) -> Arc<Automorphisms> {
        let given = orbits.given_in(state);
        if let Some(known) = orbits.groups.read().unwrap_or_else(PoisonError::into_inner).get(&given) {
            return known.clone();
        }
        let found = Arc::new(self.found(orbits, &given).group);
        let mut groups = orbits.groups.write().unwrap_or_else(PoisonError::into_inner);
        groups.entry(given).or_insert(found).clone()
    }

    /// What there is to know of the automorphisms of states of a shape.
    fn found(&self, orbits: &Orbits, given: &[u64]) -> Found {
        group::find(&self.sets, &self.shapes, &orbits.shape, given)
    }
}

impl Orbits {
    /// Whether only symmetric statements can follow.
    fn is_at_rest(&self, state: &[u64]) -> bool {
        let is_quiet = |(location, first, quiet): &(Bits, u64, Vec<bool>)| match location.get(state) {
            at @ 0..64 => first >> at & 1 != 0,
            at => quiet[at as usize],
        };
        self.rest.iter().all(is_quiet)
    }

    /// A vector of what processes were given in a state, and of nothing else.
    fn given_in(&self, state: &[u64]) -> Vec<u64> {
        let mut given = vec![0; self.shape.words()];
        self.given.iter().for_each(|&(word, mask)| given[word] = state[word] & mask);
        given
    }
}
