//! Bitstate hashing (Holzmann 1988; Dillinger and Manolios 2004): a Bloom filter.
//!
//! A vector is a few bits of one block of the table, which is a cache line. A vector whose bits are all
//! set is taken for old. Bits all over the table would cost an access to memory each. Blocks fill
//! unevenly, which costs omissions, and the estimate counts them (Putze, Sanders and Singler 2007): with
//! 30 bits for each vector there are a fifth more than with bits all over, with 300 three times as many,
//! but then hardly any at all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::hash::{hash_vector, rehash};
use crate::region::{Region, prefetch_to_write};
use crate::store::{Batch, Fresh, Guarantee, Handle, Item, Memo, Store};

/// How many items are on their way at once.
const GROUP: usize = 32;

/// The bits of a block, as a power of two.
const BLOCK_BITS: u32 = 9;
/// Places in a block that one hash gives.
const PLACES_OF_HASH: u32 = u64::BITS / BLOCK_BITS;

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
    region: Arc<Region>,
    blocks: u64,
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
    /// The bits of two groups: one is looked at while the other is on its way.
    places: [Vec<u64>; 2],
}

impl BitstateStore {
    /// An empty store; None if there is no memory.
    #[must_use]
    pub fn new(config: &BitstateConfig) -> Option<BitstateStore> {
        let block = 1 << (BLOCK_BITS - 3);
        let blocks = (config.bytes / block).max(1);
        let region = Region::zeroed_in_background(blocks * block)?;
        let (probes, seed) = (config.probes.max(1), config.seed);
        Some(BitstateStore { region, blocks: blocks as u64, probes, seed, counts: Mutex::default() })
    }

    fn bits(&self) -> f64 {
        (self.blocks << BLOCK_BITS) as f64
    }

    /// Counts new vectors, and the bits that were set for them.
    fn count(&self, vectors: u64, ones: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        // With a share `p` of wrong answers, each right `New` stands for `1 / (1 - p)` vectors that
        // were asked for the first time.
        let share = (counts.ones as f64 + ones as f64 / 2.0) / self.bits();
        let load = (counts.vectors as f64 + vectors as f64 / 2.0) / self.blocks as f64;
        let wrong = (share.powi(self.probes as i32) * unevenness(self.probes, load)).min(share);
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
        let block = ((u128::from(hash) * u128::from(self.blocks)) >> 64) as u64;
        let mut rest = hash;
        (0..self.probes).map(move |probe| {
            rest = if probe % PLACES_OF_HASH == 0 { rehash(rest ^ u64::from(probe)) } else { rest >> BLOCK_BITS };
            block << BLOCK_BITS | rest & ((1 << BLOCK_BITS) - 1)
        })
    }

    /// The word that a bit lies in.
    #[inline(always)]
    fn word(&self, bit: u64) -> &AtomicU64 {
        debug_assert!(bit >> BLOCK_BITS < self.blocks);
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

    /// Calls `visit` with the number of each hash and the bits that it means, which have been fetched.
    #[inline(always)]
    fn each(&self, session: &mut BitstateSession, mut visit: impl FnMut(u32, &[u64])) {
        let BitstateSession { hashes, places: [one, other] } = session;
        let (mut here, mut ahead) = (one, other);
        let mut groups = hashes.chunks(GROUP);
        self.fetch(groups.next().unwrap_or_default(), ahead);
        let mut place = 0;
        while !ahead.is_empty() {
            std::mem::swap(&mut here, &mut ahead);
            self.fetch(groups.next().unwrap_or_default(), ahead);
            for bits in here.chunks_exact(self.probes as usize) {
                visit(place, bits);
                place += 1;
            }
        }
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

/// By how much the mean of a power is more than the power of the mean, of numbers with a Poisson
/// distribution: the moments are the polynomials of Touchard.
fn unevenness(power: u32, mean: f64) -> f64 {
    // Each moment divided by that power of the mean.
    let mut moments = vec![1.0];
    for next in 0..power {
        // The moment after the n-th is the mean times the sum of all before, weighted by binomials.
        let (mut sum, mut binomial) = (0.0, 1.0);
        for (order, moment) in moments.iter().enumerate() {
            sum += binomial * moment * mean.powi(order as i32 - next as i32);
            binomial *= f64::from(next - order as u32) / (order as f64 + 1.0);
        }
        moments.push(sum);
    }
    moments[power as usize]
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
        self.each(session, |place, bits| {
            let new = self.set(bits);
            if new > 0 {
                vectors += 1;
                ones += u64::from(new);
                fresh.push(Fresh { place, handle: Some(Handle(0)) });
            }
        });
        self.count(vectors, ones);
    }

    fn lookup(&self, session: &mut BitstateSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.hash_all(session, batch);
        self.each(session, |_, bits| known.push(bits.iter().all(|&bit| self.is_set(bit))));
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
        self.counts().ones as f64 / self.bits()
    }

    fn guarantee(&self) -> Guarantee {
        let Counts { vectors, omissions, .. } = self.counts();
        let all = vectors as f64 + omissions;
        Guarantee::Bitstate {
            coverage: if all > 0.0 { vectors as f64 / all } else { 1.0 },
            hash_factor: self.bits() / all.max(1.0),
            expected_omissions: omissions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unevenness;

    #[test]
    fn moments_of_poisson() {
        for mean in [0.1_f64, 1.0, 20.0] {
            let third = mean.powi(3) + 3.0 * mean.powi(2) + mean;
            let wanted = [1.0, 1.0, (mean + mean * mean) / mean.powi(2), third / mean.powi(3)];
            for (power, wanted) in (0..).zip(wanted) {
                let found = unevenness(power, mean);
                assert!((found / wanted - 1.0).abs() < 1e-9, "{power} of {mean}: {found}, not {wanted}");
            }
        }
    }
}
