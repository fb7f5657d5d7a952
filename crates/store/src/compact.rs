//! Hash compaction (Wolper and Leroy 1993): of a vector, 64 bits of its hash are kept.
//!
//! A set of `n` vectors loses about `n * (n - 1) / 2^65` of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::budget::Budget;
use crate::fingerprints::{Entered, Fingerprints, Growth, Lines};
use crate::hash::hash_vector;
use crate::store::{Batch, Config, Guarantee, Handle, Item, Seen, Store};

/// How many items are on their way at once.
const GROUP: usize = 64;

/// A set of fingerprints: 8 bytes a slot, whatever the length of the vectors.
#[derive(Debug)]
pub struct HashCompactStore {
    table: Fingerprints,
    budget: Arc<Budget>,
    vectors: AtomicU64,
    seed: u64,
}

/// What a thread needs to use a [`HashCompactStore`].
#[derive(Debug, Default)]
pub struct HashCompactSession {
    fingerprints: Vec<u64>,
    lines: Lines,
}

impl HashCompactStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: &Config) -> HashCompactStore {
        let budget = Arc::new(Budget::new(config));
        budget.force(size_of::<HashCompactStore>());
        let table = Fingerprints::new(Arc::clone(&budget));
        HashCompactStore { table, budget, vectors: AtomicU64::new(0), seed: config.seed }
    }

    fn hash_all(&self, session: &mut HashCompactSession, batch: &Batch<'_>) {
        let fingerprint = |item: &Item| {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            // 0 is a free slot.
            hash_vector(batch.vector(item), item.bytes, self.seed ^ u64::from(item.bytes) << 32).max(1)
        };
        session.fingerprints.clear();
        session.fingerprints.extend(batch.items.iter().map(fingerprint));
    }

    /// Enters fingerprints until a segment should, or must, grow; returns how many have an answer.
    fn insert_some(
        &self,
        fingerprints: &[u64],
        lines: &mut Lines,
        seen: &mut Vec<Seen>,
    ) -> (usize, Option<(Growth, bool)>) {
        let table = self.table.read();
        let mut answered = 0;
        for group in fingerprints.chunks(GROUP) {
            table.fetch_all(group, lines);
            for &fingerprint in group {
                match table.enter(fingerprint) {
                    Entered::Old => seen.push(Seen::Old),
                    Entered::Crowded(growth) => return (answered, Some((growth, true))),
                    Entered::New(growth) => {
                        seen.push(Seen::New(Handle(fingerprint)));
                        if let Some(growth) = growth {
                            return (answered + 1, Some((growth, false)));
                        }
                    }
                }
                answered += 1;
            }
        }
        (answered, None)
    }
}

impl Store for HashCompactStore {
    type Session = HashCompactSession;

    const RECOVERS: bool = false;

    fn session(&self) -> HashCompactSession {
        HashCompactSession::default()
    }

    fn insert(&self, session: &mut HashCompactSession, batch: &Batch<'_>, seen: &mut Vec<Seen>) {
        self.hash_all(session, batch);
        let (first, mut from, mut refused) = (seen.len(), 0, 0);
        while from < session.fingerprints.len() {
            let (answered, growth) = self.insert_some(&session.fingerprints[from..], &mut session.lines, seen);
            from += answered;
            if let Some((growth, must)) = growth
                && !self.table.grow(growth)
                && must
            {
                seen.push(Seen::Full);
                from += 1;
                refused += 1;
            }
        }
        let old = seen[first..].iter().filter(|&&seen| seen == Seen::Old).count();
        self.vectors.fetch_add((from - old - refused) as u64, Ordering::Relaxed);
    }

    fn lookup(&self, session: &mut HashCompactSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.hash_all(session, batch);
        let table = self.table.read();
        for group in session.fingerprints.chunks(GROUP) {
            table.fetch_all(group, &mut session.lines);
            known.extend(group.iter().map(|&fingerprint| table.has(fingerprint)));
        }
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
        let vectors = self.len() as f64;
        Guarantee::Probabilistic { expected_omissions: vectors * (vectors - 1.0).max(0.0) / 2_f64.powi(65) }
    }
}
