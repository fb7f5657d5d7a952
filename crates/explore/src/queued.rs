//! Which states of a breadth-first search were stored by a thread and are not expanded yet.

use crate::vectors::{Remembered, States, Vector};
use spinor_store::{Store, fingerprint};

/// The fewest slots of the table.
const FEWEST: usize = 1 << 10;

/// The states of the next level, by their fingerprints.
///
/// One that is found is really there, because it is compared: a state that is taken for one that still
/// waits would let a search postpone steps for ever. One that is there may be missed, which is harmless. So a
/// slot belongs to who came last, and what is left of other levels may stay.
#[derive(Debug, Default)]
pub(crate) struct Queued {
    /// A power of two of them, or none: the number of a state.
    slots: Vec<u32>,
}

impl Queued {
    /// A state joins the next level with this number.
    pub(crate) fn push(&mut self, number: usize, it: Vector<'_>) {
        if number >= self.slots.len() {
            let count = (2 * number).next_power_of_two().max(FEWEST);
            self.slots.resize(count, 0);
        }
        let slot = self.slot(it);
        self.slots[slot] = number as u32;
    }

    fn slot(&self, it: Vector<'_>) -> usize {
        fingerprint(it.words, it.key) as usize & (self.slots.len() - 1)
    }

    /// Whether a state is one of the next level.
    pub(crate) fn contains<T: Store>(
        &self,
        states: &States,
        (store, session): (&T, &mut T::Session),
        it: Vector<'_>,
    ) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let number = self.slots[self.slot(it)] as usize;
        if number >= states.len() {
            return false;
        }
        match states.get(number) {
            Remembered { vector: Some(vector), .. } => vector.words == it.words,
            Remembered { handle: Some(handle), .. } => {
                let mut words = Vec::new();
                store.load(session, handle, &mut words);
                words == it.words
            }
            Remembered { .. } => false,
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}
