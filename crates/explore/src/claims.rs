//! The proviso of depth-first search where other threads have stacks of their own.

use crate::control::Control;
use crate::expand::Expand;
use crate::plan::Proviso;
use crate::reduce::Processes;
use crate::walker::{Arrival, Walker};
use spinor_store::{Batch, Item, Source, Store};

impl<S: Expand> Walker<S> {
    /// The first set of processes that the proviso allows: a set is enough if, for the weak proviso, one of its
    /// successors, for the strong one each, is stored here for the first time. Then what is left for later is not
    /// left for ever: from state to state it is handed on to one that was stored later.
    pub(crate) fn choose_by_claims<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        arrival: Arrival,
    ) -> Option<Processes> {
        self.claims.clear();
        self.claims.resize(self.out.list.len(), false);
        for number in 0..self.choice.sets.len() {
            let set = self.choice.sets[number];
            let of_set: Vec<usize> = (0..self.out.list.len()).filter(|&it| self.choice.is_in(&set, it)).collect();
            let is_free = self.choice.is_free(number);
            let mut claim = |index: usize| self.claim((control, store, &mut *session), arrival, index);
            let is_enough = match control.plan.proviso {
                _ if is_free => true,
                Proviso::None => true,
                Proviso::Weak => of_set.iter().any(|&index| claim(index)),
                Proviso::Strong => of_set.iter().all(|&index| claim(index)),
            };
            if is_enough {
                return Some(set);
            }
            if self.claims.contains(&true) {
                // What was stored must be visited.
                break;
            }
        }
        self.engine.regret(if self.choice.sets.is_empty() { 0 } else { self.choice.saved });
        None
    }

    /// Stores a successor; whether it is new and will be visited.
    fn claim<T: Store>(
        &mut self,
        (control, store, session): (&Control<'_>, &T, &mut T::Session),
        arrival: Arrival,
        index: usize,
    ) -> bool {
        let next = self.out.list[index];
        let depth = arrival.depth + next.distance as usize;
        if self.known[index] || control.plan.max_depth.is_some_and(|limit| depth > limit) {
            return false;
        }
        let Arrival { it, handle, .. } = arrival;
        let batch = Batch {
            words: &self.out.words,
            items: &[Item { at: next.at, bytes: next.bytes, key: next.key, note: 0 }],
            source_words: self.stack.vector(&it).words,
            sources: &[Source { at: 0, bytes: it.bytes, end: 1, handle }],
        };
        self.fresh.clear();
        store.insert(session, &batch, &mut self.fresh);
        self.claims[index] = self.fresh.first().is_some_and(|fresh| fresh.handle.is_some());
        self.claims[index]
    }
}
