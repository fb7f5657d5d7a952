//! Partial order reduction: which processes are enough to expand in a state.
//!
//! The alternatives of a process at a location disable each other. So the executable part of every
//! persistent, stubborn or ample set is a union of whole processes, and a selector proposes sets of
//! processes. It is a function of a state; the proviso belongs to the search, which may refuse a set.
//!
//! Every set that is proposed is *persistent*: as long as only processes outside of it move, its processes
//! can do the same steps as now, and each of these commutes with each step outside. Deadlocks are kept by
//! that alone; what else is kept, and what it costs, is said at [`Preserve`].

mod accord;
mod actions;
mod ample;
mod claims;
mod deletion;
mod effects;
mod footprint;
mod guard;
mod independence;
mod local;
mod memory;
mod objects;
mod obstacle;
mod overman;
mod predicate;
mod processes;
mod promises;
mod signature;
pub mod sound;
mod steps;
mod stubborn;
mod table;
mod transitions;
mod uses;
mod view;
mod visible;

pub(crate) use actions::{Action, independent, place};
pub use claims::{About, ClaimReduction, may_use_symmetry, resolve_claim};
pub use independence::Independence;
pub use processes::Processes;
pub use promises::{Breach, breaches};
pub use table::{Table, text};
pub use view::View;
pub use visible::Preserve;

use objects::Exposed;
use spinor_exec::{Shape, Shapes};
use spinor_model::{Model, ProctypeId, StatementId};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

/// Proposes sets of processes.
pub trait Selector: Send {
    /// Appends persistent sets in the order of preference. In each some process can move, and some other
    /// process that can move is left out.
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>);
}

/// The selectors by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Paper 000, algorithm 2.
    Local,
    /// Process-wise ample sets.
    Ample,
    /// Paper 000, section 5.
    Overman,
    /// Stubborn sets by closure.
    Stubborn,
    /// Stubborn sets by deletion.
    Deletion,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] = [Method::Local, Method::Ample, Method::Overman, Method::Stubborn, Method::Deletion];

    /// The selector. It belongs to one set of tables.
    #[must_use]
    pub fn selector(self) -> Box<dyn Selector> {
        match self {
            Method::Local => Box::new(local::Local),
            Method::Ample => Box::new(ample::Ample::default()),
            Method::Overman => Box::new(overman::Overman::default()),
            Method::Stubborn => Box::new(memory::Remembering::new(stubborn::Stubborn::default())),
            Method::Deletion => Box::new(memory::Remembering::new(deletion::Deletion::default())),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Method::Local => "local",
            Method::Ample => "ample",
            Method::Overman => "overman",
            Method::Stubborn => "stubborn",
            Method::Deletion => "stubborn=deletion",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Method, String> {
        let names = || Method::ALL.map(Method::name).join(", ");
        let known = Method::ALL.into_iter().find(|method| method.name() == text);
        known.ok_or_else(|| format!("no selector `{text}`; there are: {}", names()))
    }
}

/// Whether exactly one step can be done by a process, and it is an ample set: then two-phase search follows it
/// at once (paper 003; the statements that cannot be executed must be safe as well).
pub fn is_deterministic(view: &mut View<'_>, pid: usize) -> bool {
    let mortal = view.first_mortal();
    view.steps(pid) == 1 && ample::Ample::default().is_candidate(view, pid, mortal)
}

/// The dependence tables of a model, made when a shape is first met and shared by all threads.
#[derive(Debug)]
pub struct Tables<'m> {
    shapes: Arc<Shapes<'m>>,
    preserve: Preserve,
    exposed: Exposed,
    known: RwLock<Vec<Option<Arc<Table>>>>,
}

impl<'m> Tables<'m> {
    /// No tables yet.
    #[must_use]
    pub fn new(shapes: Arc<Shapes<'m>>, preserve: Preserve) -> Tables<'m> {
        let exposed = Exposed::new(shapes.model(), &preserve.objects());
        Tables { shapes, preserve, exposed, known: RwLock::default() }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.shapes.model()
    }

    /// Whether something that must be preserved may happen: otherwise no set needs a proviso.
    #[must_use]
    pub fn has_risks(&self) -> bool {
        let ranges = self.shapes.ranges();
        let is_risk = |(id, proctype): (usize, &spinor_model::Proctype)| {
            let mut statements = (0..proctype.statements.len() as u32).map(StatementId);
            proctype.is_process() && statements.any(|it| ranges.is_risk(ProctypeId(id as u16), it))
        };
        match self.preserve {
            Preserve::Deadlock => false,
            Preserve::Assertions => self.model().proctypes.iter().enumerate().any(is_risk),
            _ => true,
        }
    }

    /// The table for a packed state.
    #[must_use]
    pub fn of(&self, state: &[u64]) -> Arc<Table> {
        self.get(Shape::id_of(state[0]))
    }

    /// The table of a shape.
    #[must_use]
    pub fn get(&self, shape: u32) -> Arc<Table> {
        let id = shape as usize;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(table)) = known.get(id) {
            return table.clone();
        }
        drop(known);
        let table = Arc::new(Table::new(&self.shapes, &self.shapes.get(shape), &self.exposed, &self.preserve));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() <= id {
            known.resize(id + 1, None);
        }
        known[id].get_or_insert(table).clone()
    }
}
