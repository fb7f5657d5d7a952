//! Bitstate hashing (Holzmann 1988; Dillinger and Manolios 2004): a Bloom filter.
//!
//! A vector is a few bits, found by double hashing: `a + i * b` with odd `b`, the top bits of each
//! choose a bit of the table. A vector whose bits are all set is taken for old. All bits of one vector
//! in one cache line would cost one access instead of three, but several times the omissions at equal
//! memory; that is a bad trade where coverage is the point.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::hash::{hash_vector, rehash};
use crate::region::{Region, prefetch};
use crate::store::{Batch, Fresh, Guarantee, Handle, Item, Memo, Store};

/// How many items ahead the bits are fetched.
const AHEAD: usize = 16;

/// The size of a [`BitstateStore`].
#[derive(Clone, Copy, Debug)]
pub struct BitstateConfig {
    /// Memory in bytes; whole cache lines of it are used.
    pub bytes: usize,
    /// Bits of a vector, at least one. Three are good unless there are hundreds of bits for each.
    pub probes: u32,
    /// Where the hash function begins: with another seed other vectors are lost.
    pub seed: u64,
}

impl Default for BitstateConfig {
    /// 64 MiB, three probes.
    fn default() -> BitstateConfig {
        BitstateConfig { bytes: 1 << 26, probes: 3, seed: 0 }
    }
}

/// A set of vectors in a fixed number of bits.
///
/// Two threads that put the same vector in at the same moment may both be told that it is new.
#[derive(Debug)]
pub struct BitstateStore {
    region: Region,
    bits: u64,
    probes: u32,
    seed: u64,
    counts: Mutex<Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    vectors: u64,
    ones: u64,
    omissions: f64,
}

/// What a thread needs to use a [`BitstateStore`].
#[derive(Debug, Default)]
pub struct BitstateSession {
    hashes: Vec<u64>,
}

impl BitstateStore {
    /// An empty store; None if there is no memory.
    #[must_use]
    pub fn new(config: &BitstateConfig) -> Option<BitstateStore> {
        let bytes = (config.bytes / 64 * 64).max(64);
        let region = Region::zeroed(bytes)?;
        let (probes, seed) = (config.probes.max(1), config.seed);
        Some(BitstateStore { region, bits: bytes as u64 * 8, probes, seed, counts: Mutex::default() })
    }

    fn counts(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bits of a vector: the word, and the bit in it.
    #[inline]
    fn places(&self, hash: u64) -> impl Iterator<Item = (&AtomicU64, u64)> + '_ {
        let step = rehash(hash) | 1;
        (0..u64::from(self.probes)).map(move |probe| {
            let hash = hash.wrapping_add(probe.wrapping_mul(step));
            let bit = ((u128::from(hash) * u128::from(self.bits)) >> 64) as u64;
            // SAFETY: the bit lies in the region, which changes only through atomics.
            (unsafe { &*self.region.start().cast::<AtomicU64>().add((bit / 64) as usize) }, 1 << (bit % 64))
        })
    }

    #[inline]
    fn fetch(&self, hashes: &[u64], at: usize) {
        if let Some(&hash) = hashes.get(at) {
            self.places(hash).for_each(|(word, _)| prefetch(std::ptr::from_ref(word).cast()));
        }
    }

    fn hash_all(&self, session: &mut BitstateSession, batch: &Batch<'_>) {
        let hash = |item: &Item| {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            hash_vector(batch.vector(item), item.bytes, self.seed ^ u64::from(item.bytes) << 32)
        };
        session.hashes.clear();
        session.hashes.extend(batch.items.iter().map(hash));
        (0..AHEAD).for_each(|at| self.fetch(&session.hashes, at));
    }

    /// Sets the bits of a vector; returns how many were not set.
    #[inline]
    fn set(&self, hash: u64) -> u32 {
        self.places(hash).fold(0, |new, (word, bit)| {
            let is_set = word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0;
            new + u32::from(!is_set)
        })
    }
}

impl Store for BitstateStore {
    type Session = BitstateSession;

    fn memo(&self, _bytes: u32, _key: u32) -> Memo {
        Memo::VECTOR
    }

    fn session(&self) -> BitstateSession {
        BitstateSession::default()
    }

    fn insert(&self, session: &mut BitstateSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        self.hash_all(session, batch);
        let before = self.counts();
        let (mut vectors, mut ones, mut omissions) = (0, 0, 0.0);
        for (at, &hash) in session.hashes.iter().enumerate() {
            self.fetch(&session.hashes, at + AHEAD);
            let new = self.set(hash);
            if new == 0 {
                continue;
            }
            // With a share `p` of wrong answers, each right `New` stands for `1 / (1 - p)` vectors that
            // were asked for the first time.
            let share = (before.ones + ones) as f64 / self.bits as f64;
            let wrong = share.powi(self.probes as i32);
            omissions += wrong / (1.0 - wrong).max(f64::EPSILON);
            vectors += 1;
            ones += u64::from(new);
            fresh.push(Fresh { place: at as u32, handle: Some(Handle(0)) });
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.vectors += vectors;
        counts.ones += ones;
        counts.omissions += omissions;
    }

    fn lookup(&self, session: &mut BitstateSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.hash_all(session, batch);
        known.extend(session.hashes.iter().enumerate().map(|(at, &hash)| {
            self.fetch(&session.hashes, at + AHEAD);
            self.places(hash).all(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
        }));
    }

    /// Never to be called: bits say nothing of their vector.
    fn load(&self, _session: &mut BitstateSession, _handle: Handle, _words: &mut Vec<u64>) -> u32 {
        unreachable!("bits do not recover vectors")
    }

    fn len(&self) -> u64 {
        self.counts().vectors
    }

    fn memory(&self) -> usize {
        self.region.bytes() + size_of::<BitstateStore>()
    }

    fn fill(&self) -> f64 {
        self.counts().ones as f64 / self.bits as f64
    }

    fn guarantee(&self) -> Guarantee {
        let Counts { vectors, omissions, .. } = self.counts();
        let all = vectors as f64 + omissions;
        Guarantee::Bitstate {
            coverage: if all > 0.0 { vectors as f64 / all } else { 1.0 },
            hash_factor: self.bits as f64 / all.max(1.0),
            expected_omissions: omissions,
        }
    }
}
