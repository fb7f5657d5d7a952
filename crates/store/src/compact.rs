//! Hash compaction (Wolper and Leroy 1993): of a vector, 64 bits of its hash are kept.
//!
//! A set of `n` vectors loses about `n * (n - 1) / 2^65` of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bitstate::omitted_hashes;
use crate::budget::Budget;
use crate::hash::hash_all;
use crate::set::Set;
use crate::store::{Batch, Config, Fresh, Guarantee, Handle, Memo, Store};

/// A set of fingerprints: 8 bytes a slot, whatever the length of the vectors.
#[derive(Debug)]
pub struct HashCompactStore {
    table: Set<u64>,
    budget: Arc<Budget>,
    vectors: AtomicU64,
    seed: u64,
}

/// What a thread needs to use a [`HashCompactStore`].
#[derive(Debug, Default)]
pub struct HashCompactSession {
    fingerprints: Vec<u64>,
}

impl HashCompactStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: &Config) -> HashCompactStore {
        let budget = Arc::new(Budget::new(config));
        budget.force(size_of::<HashCompactStore>());
        let table = Set::new(Arc::clone(&budget));
        HashCompactStore { table, budget, vectors: AtomicU64::new(0), seed: config.seed }
    }
}

impl Store for HashCompactStore {
    type Session = HashCompactSession;

    const USES_SOURCES: bool = false;

    fn memo(&self, _bytes: u32, _key: u32) -> Memo {
        Memo::VECTOR
    }

    fn session(&self) -> HashCompactSession {
        self.budget.join();
        HashCompactSession::default()
    }

    fn insert(&self, session: &mut HashCompactSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        hash_all(batch, self.seed, &mut session.fingerprints);
        let new = self.table.insert(&session.fingerprints, 0, fresh);
        self.vectors.fetch_add(new, Ordering::Relaxed);
    }

    fn lookup(&self, session: &mut HashCompactSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        hash_all(batch, self.seed, &mut session.fingerprints);
        self.table.lookup(&session.fingerprints, |is_known| known.push(is_known));
    }

    /// Never to be called: a fingerprint says nothing of its vector.
    fn load(&self, _session: &mut HashCompactSession, _handle: Handle, _words: &mut Vec<u64>) -> u32 {
        unreachable!("fingerprints do not recover vectors")
    }

    fn len(&self) -> u64 {
        self.vectors.load(Ordering::Relaxed)
    }

    fn memory(&self) -> usize {
        self.budget.used()
    }

    fn fill(&self) -> f64 {
        self.len() as f64 / self.table.slots() as f64
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Probabilistic { expected_omissions: omitted_hashes(self.len()) }
    }
}
