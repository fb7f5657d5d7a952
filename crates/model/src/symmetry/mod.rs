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

mod choice;
mod infer;
mod quiet;
mod sorts;

pub use choice::Pick;
pub use sorts::{Node, Reason, Sorts};

use crate::expr::{Access, Base, Expr, Index};
use crate::model::{Edge, Model, Proctype, ProctypeId, Role, StatementId};
use crate::ranges::{Leaf, Ranges};
pub use spinor_syntax::Place;
use std::collections::{BTreeSet, HashSet};

/// What the text of a model says about names.
#[derive(Clone, Debug, Default)]
pub struct Scalarsets {
    /// What is of one sort, and which sorts are data.
    pub sorts: Sorts,
    /// Local variables that some statement stores to, by leaf: of others, a process keeps what it was given.
    pub assigned: HashSet<(ProctypeId, usize)>,
    /// Variables that statements or observers name, by leaf; of those of no process, with the first proctype.
    pub mentioned: HashSet<(Base, ProctypeId, usize)>,
    /// For each proctype, the locations from which all that can still be done is symmetric.
    pub quiet: Vec<Vec<bool>>,
    /// What a process must leave behind before anything is symmetric.
    pub prelude: Vec<(ProctypeId, Reason)>,
    /// What somebody evaluates in every state.
    pub observers: Vec<(Expr, Place)>,
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
                found.observers = observers.iter().map(|it| (it.expr.clone(), it.place)).collect();
                return found;
            }
        }
    }

    /// Whether a process has nothing before it that is not symmetric.
    #[must_use]
    pub fn is_quiet(&self, proctype: ProctypeId, location: usize) -> bool {
        self.quiet[usize::from(proctype.0)][location]
    }

    /// The statements that a process can execute when nothing is before it that is not symmetric; those inside of a `d_step`,
    /// too.
    #[must_use]
    pub fn at_rest(&self, model: &Model, proctype: ProctypeId) -> BTreeSet<StatementId> {
        quiet::reachable(model.proctype(proctype), &self.quiet[usize::from(proctype.0)])
    }

    /// Whether a process of this type can end.
    #[must_use]
    pub fn is_mortal(model: &Model, proctype: ProctypeId) -> bool {
        quiet::end_of(model.proctype(proctype)).is_some()
    }

    /// Sets of statements of which a process chooses one, to store a number.
    #[must_use]
    pub fn choices(proctype: &Proctype) -> Vec<Vec<StatementId>> {
        quiet::choices(proctype)
    }

    /// Loops that choose a number while nobody else can do anything.
    #[must_use]
    pub fn picks(proctype: &Proctype) -> Vec<Pick> {
        choice::picks(proctype)
    }

    /// What a statement stores where, if that is a number of the text.
    #[must_use]
    pub fn stored(proctype: &Proctype, statement: StatementId) -> Option<(&Access, i32)> {
        quiet::stored(proctype, statement)
    }

    /// Whether two edges of one location differ only in the number that they store.
    #[must_use]
    pub fn is_alternative(proctype: &Proctype, one: &Edge, other: &Edge) -> bool {
        quiet::is_alternative(proctype, one, other)
    }
}

/// An index on the way to an element.
#[derive(Clone, Copy, Debug)]
pub enum Dimension<'e> {
    /// It is computed.
    Computed(&'e Expr),
    /// The text says which it is, or there is one element only.
    Spelled(i32),
}

/// The index of each dimension of a leaf that an access names, one of whose elements lies where the access begins. None if
/// an index belongs to no dimension.
#[must_use]
pub fn dimensions<'e>(leaf: &Leaf, element: usize, access: &'e Access) -> Option<Vec<Dimension<'e>>> {
    let mut indexes = access.indexes.iter().peekable();
    let mut inner = leaf.offsets.len() as u32;
    let mut one = |&length: &u32| {
        inner /= length;
        let stride = leaf.offsets.get(inner as usize).map_or(0, |at| at - leaf.offsets[0]);
        let is_meant = |it: &&Index| it.length == length && (length == 1 || it.stride == stride);
        match indexes.next_if(is_meant) {
            Some(index) => Dimension::Computed(&index.value),
            None => Dimension::Spelled((element as u32 / inner % length) as i32),
        }
    };
    let all = leaf.lengths.iter().map(&mut one).collect();
    indexes.next().is_none().then_some(all)
}
