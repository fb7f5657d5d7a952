//! Symmetry reduction: of states that differ only in which process is which, one is enough.
//!
//! *Detection* is in the text ([`spinor_model::symmetry`]): which numbers are names. In the states of one shape it is then
//! known who has which name (`names`) and which permutations are automorphisms (`permit`). *Representatives* are computed
//! on packed vectors (`cells`, `action`, `canonical`), by an engine around another ([`Quotient`]): searches, stores, provisos and
//! selectors see representatives only.

mod action;
mod canonical;
mod cells;
mod diagram;
mod group;
mod links;
mod names;
mod orbit;
mod orders;
mod own;
mod permit;
mod quotient;
mod report;
mod search;
mod settle;
#[cfg(test)]
mod tests;
mod turns;

pub use quotient::Quotient;
pub use report::{ClassReport, PromiseReport, SymmetryReport};

use canonical::Automorphisms;
use spinor_exec::{Bits, Shape, Shapes};
use spinor_model::Model;
use spinor_model::symmetry::Scalarsets;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

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
    /// Whether nothing more is found out.
    is_settled: AtomicBool,
}

/// The orbits of the states of a shape.
#[derive(Debug, Default)]
struct Orbits {
    /// Where processes stand whose next steps may not be symmetric, and where they are: those beyond the first 64 last.
    rest: Vec<(Bits, u64, Vec<bool>)>,
    /// Known when some state is at rest.
    group: OnceLock<Arc<Automorphisms>>,
    /// Whether nothing may be found out any more: states stand for themselves.
    is_closed: bool,
}

impl<'m> Symmetries<'m> {
    /// The symmetries of a model, for states of these shapes.
    #[must_use]
    pub fn new(shapes: Arc<Shapes<'m>>, sets: Scalarsets, strategy: Strategy) -> Symmetries<'m> {
        Symmetries { shapes, sets, strategy, known: RwLock::default(), is_settled: AtomicBool::new(false) }
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
        known[id].get_or_insert_with(|| Arc::new(self.new_orbits(shape))).clone()
    }

    fn at_rest(&self, shape: &Shape) -> Orbits {
        let place = |process: &spinor_exec::ProcessPlace| {
            let quiet = &self.sets.quiet[usize::from(process.proctype.0)];
            let first = quiet.iter().take(64).rev().fold(0, |bits, &quiet| bits << 1 | u64::from(quiet));
            quiet.contains(&false).then(|| (process.location, first, quiet.clone()))
        };
        Orbits { rest: shape.processes.iter().filter_map(place).collect(), ..Orbits::default() }
    }

    /// The automorphisms of the states of a shape, one of which is given.
    fn group(&self, orbits: &Orbits, state: &[u64]) -> Arc<Automorphisms> {
        let find =
            || Arc::new(group::find(&self.sets, &self.shapes, &self.shapes.get(Shape::id_of(state[0])), state).group);
        orbits.group.get_or_init(find).clone()
    }
}

impl Orbits {
    /// Whether only symmetric statements can follow.
    fn is_at_rest(&self, state: &[u64]) -> bool {
        let is_quiet = |(location, first, quiet): &(Bits, u64, Vec<bool>)| match location.get(state) {
            at @ 0..64 => first >> at & 1 != 0,
            at => quiet[at as usize],
        };
        !self.is_closed && self.rest.iter().all(is_quiet)
    }
}
