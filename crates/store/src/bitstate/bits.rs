//! A Bloom filter whose bits of one hash lie in one cache line.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::hash::rehash;
use crate::region::{Region, prefetch_to_write};

/// How many hashes are on their way at once.
const GROUP: usize = 32;

/// The bits of a block, as a power of two.
const BLOCK_BITS: u32 = 9;
/// Places in a block that one hash gives.
const PLACES_OF_HASH: u32 = u64::BITS / BLOCK_BITS;

/// The filter. It takes memory where bits are set only.
#[derive(Debug)]
pub(super) struct Bits {
    region: Region,
    pub(super) blocks: u64,
    pub(super) probes: u32,
}

/// The bits of two groups of hashes: one is looked at while the other is on its way.
pub(super) type Flight = [Vec<u64>; 2];

impl Bits {
    /// None: there is no memory.
    pub(super) fn new(bytes: usize, probes: u32) -> Option<Bits> {
        let block = 1 << (BLOCK_BITS - 3);
        let blocks = (bytes / block).max(1);
        Some(Bits { region: Region::unpopulated(blocks * block)?, blocks: blocks as u64, probes })
    }

    pub(super) fn bytes(&self) -> usize {
        self.region.bytes()
    }

    /// How many bits there are.
    pub(super) fn count(&self) -> f64 {
        (self.blocks << BLOCK_BITS) as f64
    }

    /// The bits of a hash, by their numbers. Hashes in order have blocks in order.
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

    /// The places of some hashes, on their way: first all addresses, then all prefetches, because only
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
    pub(super) fn each(&self, hashes: &[u64], flight: &mut Flight, mut visit: impl FnMut(u32, &[u64])) {
        let [mut here, mut ahead] = flight.each_mut();
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
    pub(super) fn are_set(&self, places: &[u64]) -> bool {
        places.iter().all(|&bit| self.word(bit).load(Ordering::Relaxed) & 1 << (bit % 64) != 0)
    }

    /// Sets some bits; returns how many were not set.
    #[inline(always)]
    pub(super) fn set(&self, places: &[u64]) -> u32 {
        if self.are_set(places) {
            return 0;
        }
        let new = |&bit: &u64| self.word(bit).fetch_or(1 << (bit % 64), Ordering::Relaxed) & 1 << (bit % 64) == 0;
        places.iter().map(|bit| u32::from(new(bit))).sum()
    }
}
