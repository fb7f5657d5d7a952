//! Bitstate hashing (Holzmann 1988; Dillinger and Manolios 2004): a Bloom filter.
//!
//! A vector is a few bits of one block of the table, which is a cache line. A vector whose bits are all
//! set is taken for old. Bits all over the table would cost an access to memory each. Blocks fill
//! unevenly, which costs omissions, and the estimate counts them (Putze, Sanders and Singler 2007): with
//! 30 bits for each vector there are a fifth more than with bits all over, with 300 three times as many,
//! but then hardly any at all.
//!
//! As long as the hashes themselves fit into the memory of the table, they are kept instead: that is hash
//! compaction, which loses next to nothing, and takes no more memory than it needs. Bits follow from hashes,
//! so the change from one to the other is lossless. It takes hardly any memory either, because a segment
//! of hashes that begin alike becomes bits that lie together, and is given back.

mod bits;

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use self::bits::{Bits, Flight};
use crate::budget::Budget;
use crate::hash::hash_all;
use crate::set::Set;
use crate::store::{Batch, Config, Fresh, Guarantee, Handle, Memo, Store};

/// The size of a [`BitstateStore`].
#[derive(Clone, Copy, Debug)]
pub struct BitstateConfig {
    /// Memory in bytes; whole cache lines of it are used.
    pub bytes: usize,
    /// Bits of a vector, at least one. Three are good unless there are hundreds of bits for each.
    pub probes: u32,
    /// Where the hash function begins: with another seed other vectors are lost.
    pub seed: u64,
    /// As [`Config::has_core`].
    pub has_core: bool,
}

impl Default for BitstateConfig {
    /// 64 MiB, three probes.
    fn default() -> BitstateConfig {
        BitstateConfig { bytes: 1 << 26, probes: 3, seed: 0, has_core: false }
    }
}

/// A set of vectors in a fixed number of bits.
///
/// Two threads that put the same vector in at the same moment may both be told that it is new.
#[derive(Debug)]
pub struct BitstateStore {
    /// The hashes of all vectors, while they fit.
    hashes: RwLock<Option<Set<u64>>>,
    /// The memory of the hashes.
    budget: Arc<Budget>,
    bits: Bits,
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
    flight: Flight,
}

impl BitstateStore {
    /// An empty store; None if there is no memory.
    #[must_use]
    pub fn new(config: &BitstateConfig) -> Option<BitstateStore> {
        let bits = Bits::new(config.bytes, config.probes.max(1))?;
        // What says where the hashes are takes a little more.
        let most = bits.bytes() + bits.bytes() / 32;
        let memory = Config { max_bytes: Some(most), has_core: config.has_core, ..Config::default() };
        let budget = Arc::new(Budget::new(&memory));
        let hashes = RwLock::new(Some(Set::new(Arc::clone(&budget))));
        Some(BitstateStore { hashes, budget, bits, seed: config.seed, counts: Mutex::default() })
    }

    fn hashes(&self) -> RwLockReadGuard<'_, Option<Set<u64>>> {
        self.hashes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Puts hashes in, while they are kept; appends what is new to `fresh`, without a handle if there is no
    /// room. False if they are not kept.
    fn insert_hashes(&self, hashes: &[u64], fresh: &mut Vec<Fresh>) -> bool {
        let kept = self.hashes();
        let Some(set) = &*kept else { return false };
        let new = set.insert(hashes, 0, fresh);
        self.count(|counts| counts.vectors += new);
        true
    }

    /// Sets the bits of hashes; calls `visit` with the number of each that is new.
    fn insert_bits(&self, hashes: &[u64], flight: &mut Flight, mut visit: impl FnMut(u32)) {
        let (mut vectors, mut ones) = (0, 0);
        self.bits.each(hashes, flight, |place, bits| {
            let new = self.bits.set(bits);
            if new > 0 {
                vectors += 1;
                ones += u64::from(new);
                visit(place);
            }
        });
        self.count(|counts| counts.add(&self.bits, vectors, ones));
    }

    /// Keeps bits instead of hashes from now on. Others wait until all bits are there: what is known would be new to them.
    #[cold]
    fn condense(&self) {
        let mut hashes = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        let Some(set) = hashes.take() else { return };
        let (mut flight, mut some, mut ones) = (Flight::default(), Vec::new(), 0);
        let mut put = |hashes: &mut Vec<u64>| {
            self.bits.each(hashes, &mut flight, |_, bits| ones += u64::from(self.bits.set(bits)));
            hashes.clear();
        };
        for hash in set.into_keys() {
            some.push(hash);
            if some.len() == 1 << 12 {
                put(&mut some);
            }
        }
        put(&mut some);
        self.count(|counts| {
            counts.omissions = omitted_hashes(counts.vectors);
            counts.ones += ones;
        });
    }
}

impl Counts {
    /// New vectors, and the bits that were set for them.
    fn add(&mut self, bits: &Bits, vectors: u64, ones: u64) {
        // With a share `p` of wrong answers, each right `New` stands for `1 / (1 - p)` vectors that
        // were asked for the first time.
        let share = (self.ones as f64 + ones as f64 / 2.0) / bits.count();
        let load = (self.vectors as f64 + vectors as f64 / 2.0) / bits.blocks as f64;
        let wrong = (share.powi(bits.probes as i32) * unevenness(bits.probes, load)).min(share);
        self.omissions += vectors as f64 * wrong / (1.0 - wrong).max(f64::EPSILON);
        self.vectors += vectors;
        self.ones += ones;
    }
}

/// How many of so many vectors have the hash of another.
pub(crate) fn omitted_hashes(vectors: u64) -> f64 {
    let vectors = vectors as f64;
    vectors * (vectors - 1.0).max(0.0) / 2_f64.powi(65)
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
        self.budget.join();
        BitstateSession::default()
    }

    fn insert(&self, session: &mut BitstateSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        let BitstateSession { hashes, flight } = session;
        hash_all(batch, self.seed, hashes);
        let before = fresh.len();
        if !self.insert_hashes(hashes, fresh) {
            let new = |place| fresh.push(Fresh { place, handle: Some(Handle(0)) });
            return self.insert_bits(hashes, flight, new);
        }
        if fresh[before..].iter().all(|it| it.handle.is_some()) {
            return;
        }
        // The hashes do not fit any more.
        self.condense();
        let mut those_left = fresh.split_off(before);
        for it in those_left.iter_mut().filter(|it| it.handle.is_none()) {
            let hash = [hashes[it.place as usize]];
            self.insert_bits(&hash, flight, |_| it.handle = Some(Handle(0)));
        }
        fresh.extend(those_left.into_iter().filter(|it| it.handle.is_some()));
    }

    fn lookup(&self, session: &mut BitstateSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        let BitstateSession { hashes, flight } = session;
        hash_all(batch, self.seed, hashes);
        match &*self.hashes() {
            Some(set) => set.lookup(hashes, |is_known| known.push(is_known)),
            None => self.bits.each(hashes, flight, |_, bits| known.push(self.bits.are_set(bits))),
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
        let table = if self.hashes().is_some() { self.budget.used() } else { self.bits.bytes() };
        table + size_of::<BitstateStore>()
    }

    fn fill(&self) -> f64 {
        let Counts { vectors, ones, .. } = self.counts();
        match &*self.hashes() {
            Some(set) => vectors as f64 / set.slots() as f64,
            None => ones as f64 / self.bits.count(),
        }
    }

    fn guarantee(&self) -> Guarantee {
        let Counts { vectors, omissions, .. } = self.counts();
        let omissions = if self.hashes().is_some() { omitted_hashes(vectors) } else { omissions };
        let all = vectors as f64 + omissions;
        Guarantee::Bitstate {
            coverage: if all > 0.0 { vectors as f64 / all } else { 1.0 },
            hash_factor: self.bits.count() / all.max(1.0),
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
