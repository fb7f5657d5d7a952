//! A piece of the index: a power of two of buckets that share the first bits of their hashes.

use std::sync::atomic::AtomicU32;

use super::bucket::{Bucket, Entry, MAX_DISTANCE};
use super::{MAX_BITS, Numbered};
use crate::budget::Budget;
use crate::region::Region;

/// With fewer bits in a tag they are computed anew.
const MIN_TAG_BITS: u32 = 8;
/// How many buckets ahead the vectors are fetched when tags are computed anew.
const AHEAD: usize = 4;

#[derive(Debug)]
pub(crate) struct Segment {
    region: Region,
    /// The logarithm of the number of buckets.
    pub(crate) bits: u32,
    /// How many bits of the hash all its vectors share.
    pub(crate) depth: u32,
    /// How many bits of a tag, from the lowest, mean nothing.
    pub(crate) lost: u32,
    /// How many buckets are full. This stands for the load: it is counted far less often.
    pub(crate) full: AtomicU32,
    /// With more full buckets it should grow.
    pub(crate) limit: AtomicU32,
}

impl Segment {
    pub(crate) fn new(bits: u32, depth: u32, lost: u32, budget: &Budget) -> Option<Segment> {
        Some(Segment::in_region(budget.zeroed(Segment::bytes(bits))?, bits, depth, lost))
    }

    fn in_region(region: Region, bits: u32, depth: u32, lost: u32) -> Segment {
        let full = AtomicU32::new(0);
        Segment { region, bits, depth, lost, full, limit: AtomicU32::new(limit(bits)) }
    }

    /// Whether it is so large that it splits instead of doubling.
    pub(crate) fn splits(&self) -> bool {
        self.bits == MAX_BITS
    }

    pub(crate) fn into_region(self) -> Region {
        self.region
    }

    /// Bytes of a segment.
    pub(crate) fn bytes(bits: u32) -> usize {
        size_of::<Bucket>() << bits
    }

    pub(crate) fn start(&self) -> *const Bucket {
        self.region.start().cast()
    }

    pub(crate) fn buckets(&self) -> &[Bucket] {
        // SAFETY: the region has so many bytes, is aligned to cache lines, and zeros are a bucket
        // with free slots; buckets change only through atomics.
        unsafe { std::slice::from_raw_parts(self.start(), 1 << self.bits) }
    }

    /// The same entries in twice the space: one segment with twice the buckets, or two segments.
    /// None: there is no memory, or a home is crowded beyond repair. If it splits, `spare` is as large
    /// as it is.
    pub(crate) fn doubled(
        &self,
        vectors: &impl Numbered,
        spare: Option<Region>,
        budget: &Budget,
    ) -> Option<Vec<Segment>> {
        let anew = 16 - self.lost <= MIN_TAG_BITS;
        let lost = if anew { 0 } else { self.lost + 1 };
        let parts = if self.splits() {
            let first = match spare {
                Some(spare) => Segment::in_region(spare.cleared(), self.bits, self.depth + 1, lost),
                None => Segment::new(self.bits, self.depth + 1, lost, budget)?,
            };
            vec![first, Segment::new(self.bits, self.depth + 1, lost, budget)?]
        } else {
            vec![Segment::new(self.bits + 1, self.depth, lost, budget)?]
        };
        let moved = if anew { self.move_anew(&parts, vectors) } else { self.move_to(&parts) };
        moved.then_some(parts)
    }

    /// Moves all entries by the top bits of their tags; false if one finds no place.
    fn move_to(&self, parts: &[Segment]) -> bool {
        let mask = (1 << self.bits) - 1;
        self.buckets().iter().enumerate().all(|(bucket, entries)| {
            entries.entries().all(|entry| {
                let home = bucket.wrapping_sub(entry.distance as usize) & mask;
                let twice = home << 1 | usize::from(entry.tag >> 15);
                place(parts, twice, Entry { tag: entry.tag << 1, ..entry })
            })
        })
    }

    /// Moves all entries by the hashes of their vectors; false if one finds no place.
    fn move_anew(&self, parts: &[Segment], vectors: &impl Numbered) -> bool {
        let shift = 64 - (self.bits + 1);
        self.buckets().iter().enumerate().all(|(bucket, entries)| {
            if let Some(later) = self.buckets().get(bucket + AHEAD) {
                later.entries().for_each(|entry| vectors.prefetch(entry.number));
            }
            entries.entries().all(|entry| {
                let hash = vectors.hash(entry.number) << self.depth;
                let tag = (hash << (self.bits + 1) >> 48) as u16;
                place(parts, (hash >> shift) as usize, Entry { tag, ..entry })
            })
        })
    }

    /// Puts an entry into a segment that nobody else sees yet; false if it finds no place.
    fn put_alone(&self, home: usize, entry: Entry) -> bool {
        let mask = (1 << self.bits) - 1;
        (0..=MAX_DISTANCE).any(|distance| {
            let bucket = &self.buckets()[(home + distance as usize) & mask];
            bucket.fill_alone(Entry { distance, ..entry })
        })
    }

    /// Counts the full buckets after a move.
    pub(crate) fn count_full(&self) {
        let full = self.buckets().iter().filter(|bucket| bucket.is_full()).count();
        self.full.store(full as u32, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Puts an entry into one segment or into one of two halves.
fn place(parts: &[Segment], home: usize, entry: Entry) -> bool {
    match parts {
        [whole] => whole.put_alone(home, entry),
        halves => halves[home >> halves[0].bits].put_alone(home & ((1 << halves[0].bits) - 1), entry),
    }
}

/// The number of full buckets at a load of about 0.8.
fn limit(bits: u32) -> u32 {
    (0.36 * f64::from(1_u32 << bits)) as u32
}
