//! A piece of the index: a power of two of buckets that share the first bits of their hashes.

use super::bucket::{Bucket, Entry, MAX_DISTANCE};
use super::{MAX_BITS, Numbered};
use crate::budget::Budget;
use crate::extendible::{DOUBLINGS, Grow, Growth, Load, Urgency, is_counted};
use crate::region::Region;

/// With fewer bits in a tag they are computed anew.
const MIN_TAG_BITS: u32 = 8;
const _: () = assert!(DOUBLINGS < MIN_TAG_BITS, "some bits are left");
/// How many buckets ahead the vectors are fetched when tags are computed anew.
const AHEAD: usize = 4;
/// The share of buckets that are full when a segment grows: at a load of about 0.61. At 0.63 to 0.67 some entry finds no
/// place near its home, now in this segment, now in that, while it is better that all grow together.
const FULL: f64 = 0.1;

#[derive(Debug)]
pub(crate) struct Segment {
    region: Region,
    /// The logarithm of the number of buckets.
    pub(crate) bits: u32,
    /// How many bits of the hash all its vectors share.
    pub(crate) depth: u32,
    /// How many bits of a tag, from the lowest, mean nothing.
    pub(crate) lost: u32,
    load: Load,
}

impl Grow for Segment {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn size(&self) -> u32 {
        self.bits + self.depth
    }

    fn load(&self) -> &Load {
        &self.load
    }
}

impl Segment {
    pub(crate) fn new(bits: u32, depth: u32, lost: u32, budget: &Budget) -> Option<Segment> {
        Some(Segment::in_region(budget.zeroed(Segment::bytes(bits))?, bits, depth, lost))
    }

    fn in_region(region: Region, bits: u32, depth: u32, lost: u32) -> Segment {
        Segment { region, bits, depth, lost, load: Load::of(bits, 0, FULL) }
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

    /// The same entries in a region of its size, doubled so often; None if a home is crowded beyond repair.
    pub(crate) fn doubled(&self, region: Region, doublings: u32, vectors: &impl Numbered) -> Option<Segment> {
        let lost = self.lost_after(doublings);
        let mut whole = [Segment::in_region(region, self.bits + doublings, self.depth, lost)];
        let is_moved = self.move_all(&mut whole, doublings, vectors);
        let [whole] = whole;
        is_moved.then_some(whole)
    }

    /// The same entries in two segments of the same size; the regions if a home is crowded beyond repair.
    pub(crate) fn halves(&self, regions: [Region; 2], vectors: &impl Numbered) -> Result<[Segment; 2], Vec<Region>> {
        let lost = self.lost_after(1);
        let mut halves = regions.map(|region| Segment::in_region(region, self.bits, self.depth + 1, lost));
        if self.move_all(&mut halves, 1, vectors) { Ok(halves) } else { Err(halves.map(Segment::into_region).into()) }
    }

    /// Whether tags have so few bits left that they are computed anew when it grows.
    fn is_worn(&self) -> bool {
        16 - self.lost <= MIN_TAG_BITS
    }

    /// How many bits tags have lost when it has grown by so many doublings.
    fn lost_after(&self, doublings: u32) -> u32 {
        if self.is_worn() { 0 } else { self.lost + doublings }
    }

    /// Moves all entries into parts with the buckets of so many doublings; false if one finds no place.
    fn move_all(&self, parts: &mut [Segment], doublings: u32, vectors: &impl Numbered) -> bool {
        let is_worn = self.is_worn();
        let is_moved = if is_worn { self.move_anew(parts, doublings, vectors) } else { self.move_to(parts, doublings) };
        parts.iter_mut().for_each(Segment::count_all);
        is_moved
    }

    /// Moves all entries by the top bits of their tags; false if one finds no place.
    fn move_to(&self, parts: &[Segment], doublings: u32) -> bool {
        let mask = (1 << self.bits) - 1;
        self.buckets().iter().enumerate().all(|(bucket, entries)| {
            entries.entries().all(|entry| {
                let home = bucket.wrapping_sub(entry.distance as usize) & mask;
                let home = home << doublings | usize::from(entry.tag >> (16 - doublings));
                place(parts, home, Entry { tag: entry.tag << doublings, ..entry })
            })
        })
    }

    /// Moves all entries by the hashes of their vectors; false if one finds no place.
    fn move_anew(&self, parts: &[Segment], doublings: u32, vectors: &impl Numbered) -> bool {
        let bits = self.bits + doublings;
        self.buckets().iter().enumerate().all(|(bucket, entries)| {
            if let Some(later) = self.buckets().get(bucket + AHEAD) {
                later.entries().for_each(|entry| vectors.prefetch(entry.number));
            }
            entries.entries().all(|entry| {
                let hash = vectors.hash(entry.number) << self.depth;
                let tag = (hash << bits >> 48) as u16;
                place(parts, (hash >> (64 - bits)) as usize, Entry { tag, ..entry })
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
    fn count_all(&mut self) {
        let full = |&(number, bucket): &(usize, &Bucket)| is_counted(self.bits, number) && bucket.is_full();
        let full = self.buckets().iter().enumerate().filter(full).count();
        self.load = Load::of(self.bits, full as u32, FULL);
    }

    /// A bucket of the segment with this number has become full; whether that should grow, or will split soon.
    #[inline]
    pub(crate) fn count_full(&self, number: u32, bucket: usize) -> Option<Growth> {
        let urgency = if is_counted(self.bits, bucket) { self.load.count()? } else { return None };
        (urgency == Urgency::Now || self.splits()).then(|| self.growth(number, urgency))
    }
}

/// Puts an entry into one segment or into one of two halves.
fn place(parts: &[Segment], home: usize, entry: Entry) -> bool {
    match parts {
        [whole] => whole.put_alone(home, entry),
        halves => halves[home >> halves[0].bits].put_alone(home & ((1 << halves[0].bits) - 1), entry),
    }
}
