//! What a depth-first search sends to other processes, and what comes from them (paper 001).
//!
//! A state that arrives waits until the stack is empty: then it is where the search begins anew. It is not stored
//! before its turn has come. The provisos rely on that: a state that is stored and is not on the stack was left before
//! any state of the stack will be.

use super::Walker;
use crate::control::Control;
use crate::expand::Expand;
use crate::peers::{Abroad, Arrival, Peers, Termination, message};
use crate::plan::{Plan, Proviso};
use crate::stack::Pending;
use crate::vectors::{Vector, append};
use crate::verdicts::Candidate;
use spinor_exec::{Atlas, Successors};
use spinor_store::{Batch, Item, Store};

/// What a walker has to do with other processes.
pub(crate) struct Foreign {
    pub(crate) abroad: Abroad,
    /// Whose the successors are.
    owners: Vec<usize>,
    /// What arrived and was not visited yet.
    roots: Vec<Pending>,
    words: Vec<u64>,
    /// Of a message, how deep its states are.
    levels: Vec<u32>,
    /// Messages with states that arrived, and states.
    messages: u64,
    pub(crate) received: u64,
    pub(crate) termination: Termination,
    /// Whether the first process has said that the search is over.
    pub(crate) is_over: bool,
    pub(crate) candidates: Vec<Candidate>,
}

impl Foreign {
    pub(crate) fn new(peers: &Peers, plan: &Plan) -> Foreign {
        Foreign {
            abroad: Abroad::new(peers, plan),
            owners: Vec::new(),
            roots: Vec::new(),
            words: Vec::new(),
            levels: Vec::new(),
            messages: 0,
            received: 0,
            termination: Termination::new(peers.index()),
            is_over: false,
            candidates: Vec::new(),
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.abroad.memory() + self.roots.capacity() * size_of::<Pending>() + self.words.capacity() * 8
    }

    /// Whether a state belongs to this process.
    pub(crate) fn owns(&mut self, atlas: &dyn Atlas, vector: Vector<'_>) -> bool {
        self.abroad.owner(atlas, vector) == self.abroad.index()
    }

    pub(super) fn find_owners(&mut self, atlas: &dyn Atlas, out: &Successors) {
        let Foreign { abroad, owners, .. } = self;
        owners.clear();
        owners.extend(
            out.list
                .iter()
                .map(|next| abroad.owner(atlas, Vector { words: out.vector(next), bytes: next.bytes, key: next.key })),
        );
    }

    /// Whether a successor belongs to this process.
    pub(super) fn is_here(&self, index: usize) -> bool {
        self.owners[index] == self.abroad.index()
    }

    /// Whether a successor of another process counts as one that leads back to the stack. Nothing is asked of it: the
    /// number of the process decides. Along steps that are taken for enough, the pair of this number and the time when
    /// a state is left goes one way only, so that there is no cycle of them. For safety some step must go down, for
    /// liveness none may.
    pub(super) fn is_back(&self, index: usize, proviso: Proviso) -> Option<bool> {
        let (owner, here) = (self.owners[index], self.abroad.index());
        (owner != here).then_some(match proviso {
            Proviso::None => false,
            Proviso::Weak => owner > here,
            Proviso::Strong => owner < here,
        })
    }

    /// Of what is known of the successors of this process makes what is known of all: nothing of others.
    pub(super) fn spread(&self, known: &mut Vec<bool>) {
        let mut from = known.len();
        known.resize(self.owners.len(), false);
        for index in (0..self.owners.len()).rev() {
            let is_here = self.is_here(index);
            from -= usize::from(is_here);
            known[index] = is_here && known[from];
        }
    }

    /// Sends a successor to its owner; false if it was sent lately.
    pub(super) fn send(&mut self, atlas: &dyn Atlas, index: usize, vector: Vector<'_>, level: usize) -> bool {
        let to = (self.owners[index], self.abroad.anticipate(vector));
        self.abroad.push(atlas, to, &Arrival { level, vector, origin: None })
    }

    /// This process has nothing to do; whether that means that the search is over.
    pub(crate) fn is_idle(&mut self, peers: &Peers) -> bool {
        let balance = self.abroad.messages as i64 - self.messages as i64;
        self.is_over || self.termination.pass(&**peers, balance)
    }
}

impl<S: Expand> Walker<S> {
    /// Goes on with what arrived, if the stack is empty; whether there is something to do.
    pub(crate) fn begin_anew(&mut self) -> bool {
        if let Some(Foreign { roots, words, .. }) = self.foreign.as_deref_mut()
            && self.stack.frames.is_empty()
            && !roots.is_empty()
        {
            self.stack.begin_with(roots, words);
        }
        !self.is_done()
    }

    /// Takes a message. States that were visited are of no interest any more.
    pub(crate) fn accept<T: Store>(
        &mut self,
        control: &Control<'_>,
        (store, session): (&T, &mut T::Session),
        (from, mut words): (usize, Vec<u64>),
    ) {
        let Walker { foreign: Some(foreign), engine, items, known, counts, .. } = self else { return };
        let Foreign { abroad, roots, words: kept, levels, messages, received, termination, is_over, .. } =
            &mut **foreign;
        match words[0] {
            message::TOKEN => return termination.take(&words[1..]),
            message::OVER => return *is_over = true,
            _ if abroad.hear(control, &words) => return,
            _ => {}
        }
        *messages += 1;
        termination.receive();
        items.clear();
        levels.clear();
        abroad.read(engine.atlas(), from, &mut words, |at, Arrival { level, vector, .. }| {
            items.push(Item { at: at as u32, bytes: vector.bytes, key: vector.key, note: 0 });
            levels.push(level as u32);
        });
        *received += items.len() as u64;
        known.clear();
        let batch = Batch { words: &words, items, source_words: &[], sources: &[] };
        store.lookup(session, &batch, known);
        counts.matched += known.iter().filter(|&&known| known).count() as u64;
        for ((item, &level), _) in items.iter().zip(&*levels).zip(&*known).filter(|(_, known)| !**known) {
            let Item { bytes, key, .. } = *item;
            roots.push(Pending { at: kept.len(), bytes, key, distance: level, index: 0, is_claimed: false });
            append(kept, batch.vector(item));
        }
    }
}
