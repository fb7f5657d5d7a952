//! Which states are on the stack of a depth-first search.

use spinor_store::{Fingerprints, fingerprint};

/// The fingerprints of states, each with the number of times that it is there.
///
/// A state that is on the stack is always found. One that is not may be found too, if its fingerprint
/// is that of another: then a search takes more successors than it must, which is harmless.
#[derive(Debug, Default)]
pub(crate) struct OnStack {
    counts: Fingerprints<u32>,
}

impl OnStack {
    /// A state goes on the stack; its fingerprint.
    pub(crate) fn enter(&mut self, words: &[u64], key: u32) -> u64 {
        let print = fingerprint(words, key);
        *self.counts.entry(print).or_default() += 1;
        print
    }

    /// A state leaves the stack.
    pub(crate) fn leave(&mut self, print: u64) {
        if let Some(count) = self.counts.get_mut(&print) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&print);
            }
        }
    }

    pub(crate) fn contains(&self, words: &[u64], key: u32) -> bool {
        self.counts.contains_key(&fingerprint(words, key))
    }

    pub(crate) fn memory(&self) -> usize {
        self.counts.capacity() * (size_of::<(u64, u32)>() + 1)
    }
}
