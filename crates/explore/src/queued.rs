//! Which states of a breadth-first search were stored by a thread and are not expanded yet.

use crate::vectors::{Remembered, States, Vector};
use spinor_store::{Fingerprints, Store, fingerprint};

/// The states of the next level, by their fingerprints.
///
/// One that is found is really there, because it is compared: a state that is taken for one that still
/// waits would let a search postpone steps for ever. One that is there may be missed, which is harmless.
#[derive(Debug, Default)]
pub(crate) struct Queued {
    level: usize,
    numbers: Fingerprints<u32>,
}

impl Queued {
    /// Another level begins.
    pub(crate) fn open(&mut self, level: usize) {
        if self.level != level {
            self.level = level;
            self.numbers.clear();
        }
    }

    /// A state joins the next level with this number.
    pub(crate) fn push(&mut self, number: usize, it: Vector<'_>) {
        self.numbers.insert(fingerprint(it.words, it.key), number as u32);
    }

    /// Whether a state is one of the next level.
    pub(crate) fn contains<T: Store>(
        &self,
        states: &States,
        (store, session): (&T, &mut T::Session),
        it: Vector<'_>,
    ) -> bool {
        let Some(&number) = self.numbers.get(&fingerprint(it.words, it.key)) else { return false };
        match states.get(number as usize) {
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
        self.numbers.capacity() * (size_of::<(u64, u32)>() + 1)
    }
}
