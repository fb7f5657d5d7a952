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
use crate::region::{Region, prefetch_to_write};
use crate::store::{Batch, Fresh, Guarantee, Handle, Item, Memo, Store};

/// How many items are on their way at once.
const GROUP: usize = 32;

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
    places: Vec<u64>,
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

    /// Counts new vectors, and the bits that were set for them.
    fn count(&self, vectors: u64, ones: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        // With a share `p` of wrong answers, each right `New` stands for `1 / (1 - p)` vectors that
        // were asked for the first time.
        let share = (counts.ones as f64 + ones as f64 / 2.0) / self.bits as f64;
        let wrong = share.powi(self.probes as i32);
        counts.omissions += vectors as f64 * wrong / (1.0 - wrong).max(f64::EPSILON);
        counts.vectors += vectors;
        counts.ones += ones;
    }

    fn counts(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bits of a vector, by their numbers.
    #[inline(always)]
    fn places(&self, hash: u64) -> impl Iterator<Item = u64> + use<> {
        let (bits, step) = (self.bits, rehash(hash) | 1);
        (0..u64::from(self.probes)).map(move |probe| {
            let hash = hash.wrapping_add(probe.wrapping_mul(step));
            ((u128::from(hash) * u128::from(bits)) >> 64) as u64
        })
    }

    /// The word that a bit lies in.
    #[inline(always)]
    fn word(&self, bit: u64) -> &AtomicU64 {
        debug_assert!(bit < self.bits);
        // SAFETY: the bit lies in the region, which changes only through atomics.
        unsafe { &*self.region.start().cast::<AtomicU64>().add((bit / 64) as usize) }
    }

    /// The hashes of all items.
    fn hash_all(&self, session: &mut BitstateSession, batch: &Batch<'_>) {
        let hash = |item: &Item| {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            hash_vector(batch.vector(item), item.bytes, self.seed ^ u64::from(item.bytes) << 32)
        };
        session.hashes.clear();
        session.hashes.extend(batch.items.iter().map(hash));
    }

    /// The places of some vectors, on their way: first all addresses, then all prefetches, because only
    /// prefetches that stand close together wait for the translation of their addresses at the same
    /// time.
    #[inline(always)]
    fn fetch(&self, hashes: &[u64], places: &mut Vec<u64>) {
        places.clear();
        hashes.iter().for_each(|&hash| places.extend(self.places(hash)));
        places.iter().for_each(|&bit| prefetch_to_write(std::ptr::from_ref(self.word(bit)).cast()));
    }

    #[inline(always)]
    fn is_set(&self, bit: u64) -> bool {
        self.word(bit).load(Ordering::Relaxed) & 1 << (bit % 64) != 0
    }

    /// Sets the bits of a vector; returns how many were not set.
    #[inline(always)]
    fn set(&self, places: &[u64]) -> u32 {
        if places.iter().all(|&bit| self.is_set(bit)) {
            return 0;
        }
        let new = |&bit: &u64| self.word(bit).fetch_or(1 << (bit % 64), Ordering::Relaxed) & 1 << (bit % 64) == 0;
        places.iter().map(|bit| u32::from(new(bit))).sum()
    }
}

impl Store for BitstateStore {
    type Session = BitstateSession;

    const USES_SOURCES: bool = false;

    fn memo(&self, _bytes: u32, _key: u32) -> Memo {
        Memo::VECTOR
    }

    fn session(&self) -> BitstateSession {
        BitstateSession::default()
    }

    fn insert(&self, session: &mut BitstateSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        self.hash_all(session, batch);
        let (mut vectors, mut ones) = (0, 0);
        let BitstateSession { hashes, places } = session;
        for (hashes, first) in hashes.chunks(GROUP).zip((0..).step_by(GROUP)) {
            self.fetch(hashes, places);
            for (places, place) in places.chunks_exact(self.probes as usize).zip(first..) {
                let new = self.set(places);
                if new > 0 {
                    vectors += 1;
                    ones += u64::from(new);
                    fresh.push(Fresh { place, handle: Some(Handle(0)) });
                }
            }
        }
        self.count(vectors, ones);
    }

    fn lookup(&self, session: &mut BitstateSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.hash_all(session, batch);
        let BitstateSession { hashes, places } = session;
        for hashes in hashes.chunks(GROUP) {
            self.fetch(hashes, places);
            let is_known = |places: &[u64]| places.iter().all(|&bit| self.is_set(bit));
            known.extend(places.chunks_exact(self.probes as usize).map(is_known));
        }
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
