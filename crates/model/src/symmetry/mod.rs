//! Which numbers of a model are names of processes, and what is done with them that is not the same for all names.
//!
//! Processes of one type can change places if the text treats them alike. It does if the numbers by which they are
//! known, their pids and what they were given as a name of their own, are only copied, compared for being the same, sent,
//! and used as indexes: then they form a *scalarset* (Ip and Dill 1996), and renaming them everywhere leads to a state
//! that does the same under other names. Which variables, indexes and fields of messages hold such names is found by
//! unification ([`Sorts`]): what is copied or compared is of one sort. Anything else that is done with a name makes its
//! sort plain *data*, which is never renamed; a name that the text spells out stays where it is.
//!
//! Nothing is asked of how a state came about, not even that it is symmetric: renaming is a bisimulation of all states
//! from which only symmetric statements can be executed. So what `init` does before it comes to rest does not count.

mod infer;
mod quiet;
mod sorts;

pub use sorts::{Node, Reason, Sorts};

use crate::expr::{Base, Expr};
use crate::model::{Model, ProctypeId, Role, StatementId};
use crate::ranges::Ranges;
use spinor_syntax::Place;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What the text of a model says about names.
#[derive(Clone, Debug, Default)]
pub struct Scalarsets {
    /// What is of one sort, and which sorts are data.
    pub sorts: Sorts,
    /// Why no processes at all can change places.
    pub rigid: Option<Reason>,
    /// Why processes of a type cannot.
    pub refused: BTreeMap<ProctypeId, Reason>,
    /// Local variables that some statement stores to, by leaf.
    pub assigned: HashSet<(ProctypeId, usize)>,
    /// Variables that statements or observers name, by leaf; of those of no process, with the first proctype.
    pub mentioned: HashSet<(Base, ProctypeId, usize)>,
    /// For each proctype, the locations from which all that can still be done is symmetric.
    pub quiet: Vec<Vec<bool>>,
    /// What a process must leave behind before anything is symmetric.
    pub prelude: Vec<(ProctypeId, Reason)>,
    /// The processes that others look into.
    watched: BTreeMap<ProctypeId, Reason>,
    /// Where processes are counted.
    counted: Option<Reason>,
}

/// An expression that somebody evaluates in every state: a proposition of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Observer<'m> {
    /// What is asked.
    pub expr: &'m Expr,
    /// Where it is written.
    pub place: Place,
}

impl Scalarsets {
    /// The scalarsets of a model without errors, if nobody but its processes and these observers looks at states.
    #[must_use]
    pub fn new(model: &Model, ranges: &Ranges, observers: &[Observer<'_>]) -> Scalarsets {
        // What breaks the symmetry and is done by a process that starts others is left to the time before it rests.
        let mut passed: BTreeSet<(ProctypeId, StatementId)> = quiet::creations(model);
        let starters: BTreeSet<ProctypeId> = passed.iter().map(|it| it.0).collect();
        let may_pass = |id: ProctypeId| model.proctype(id).role == Role::Init || starters.contains(&id);
        loop {
            let (mut found, blamed) = infer::infer(model, ranges, observers, &passed);
            let before = passed.len();
            passed.extend(blamed.into_iter().filter(|it| may_pass(it.0)));
            if passed.len() == before {
                found.refuse_ends(model);
                return found;
            }
        }
    }

    /// A process ends only as the youngest. That is not symmetric, but nobody sees it as long as nobody counts
    /// processes, looks into them or uses channels that go with them: a state in which a process stands at its end
    /// does the same as one in which it is gone.
    fn refuse_ends(&mut self, model: &Model) {
        for (index, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            let Some(end) = quiet::end_of(proctype) else { continue };
            let makes_channels = proctype.locals_init.iter().any(|it| matches!(it, crate::model::Initial::Channel(..)));
            let why = match (&self.counted, self.watched.get(&id)) {
                _ if makes_channels => "its processes end in the order of their age, and their channels with them",
                (Some(_), _) => "its processes end in the order of their age, and processes are counted",
                (_, Some(_)) => "its processes end in the order of their age, and others look into them",
                _ => continue,
            };
            let seen = self.counted.as_ref().or(self.watched.get(&id)).map(|it| it.place);
            let place = if makes_channels { end } else { seen.unwrap_or(end) };
            self.refused.entry(id).or_insert_with(|| Reason { place, why: why.into() });
        }
    }

    /// Whether a process has nothing before it that is not symmetric.
    #[must_use]
    pub fn is_quiet(&self, proctype: ProctypeId, location: usize) -> bool {
        self.quiet[usize::from(proctype.0)][location]
    }

    /// Whether a process of this type can end.
    #[must_use]
    pub fn is_mortal(model: &Model, proctype: ProctypeId) -> bool {
        quiet::end_of(model.proctype(proctype)).is_some()
    }
}
