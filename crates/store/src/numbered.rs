//! Stores that tell where a vector is even if it was there before, so that a search can keep more about it.

use crate::collapse::CollapseStore;
use crate::exact::{Answer, ExactStore};
use crate::store::{Batch, Handle, Store};
use crate::tree::TreeStore;

/// Where a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// It was there.
    Old(Handle),
    /// It was put in.
    New(Handle),
    /// There is no room for it.
    Nowhere,
}

/// An exact store each of whose vectors has a handle of its own, by which it is [loaded](Store::load).
///
/// Who uses it so must not use [`Store::insert`] and [`Store::lookup`] on the same store.
pub trait Numbered: Store {
    /// Whether handles are numbers below 2^32 with few gaps: then tables can be indexed by them.
    const DENSE: bool;

    /// Shorter vectors have no handle: they must be made as long as this.
    const SHORTEST: u32;

    /// Looks the items up in order and puts in those that are not there. Appends where each is.
    fn locate(&self, session: &mut Self::Session, batch: &Batch<'_>, located: &mut Vec<Located>);
}

impl From<Answer> for Located {
    fn from(answer: Answer) -> Located {
        match answer {
            Answer::Old(number) => Located::Old(Handle(u64::from(number))),
            Answer::New(number) => Located::New(Handle(u64::from(number))),
            Answer::Full => Located::Nowhere,
        }
    }
}

impl Numbered for ExactStore {
    const DENSE: bool = true;
    const SHORTEST: u32 = 1;

    fn locate(&self, session: &mut Self::Session, batch: &Batch<'_>, located: &mut Vec<Located>) {
        self.insert_with(session, batch, |answer| located.push(answer.into()));
    }
}

impl Numbered for CollapseStore {
    const DENSE: bool = true;
    const SHORTEST: u32 = 1;

    fn locate(&self, session: &mut Self::Session, batch: &Batch<'_>, located: &mut Vec<Located>) {
        self.insert_with(session, batch, |answer| located.push(answer.into()));
    }
}

impl Numbered for TreeStore {
    const DENSE: bool = false;
    const SHORTEST: u32 = TreeStore::SHORTEST;

    fn locate(&self, session: &mut Self::Session, batch: &Batch<'_>, located: &mut Vec<Located>) {
        self.insert_at(session, batch, located);
    }
}
