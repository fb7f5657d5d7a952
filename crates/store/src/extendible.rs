//! A directory of segments that split one at a time (extendible hashing: Fagin, Nievergelt, Pippenger,
//! Strong 1979), and when they should.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::budget::Budget;
use crate::shared::{Grown, Numbered, lock};

/// The logarithm of how many segments a table begins with, so that two threads can grow it together while it is small.
pub(crate) const FIRST_DEPTH: u32 = 1;
/// How often a segment doubles at once, as a rule, until it is so large that it splits. Each time all its keys move, into
/// memory that is new; a table that began small has done so many times when it is of a size that matters.
pub(crate) const DOUBLINGS: u32 = 4;
/// From this size on not every line is counted that has become full, but one in [`SAMPLE`]: all threads write the count.
const SAMPLED_BITS: u32 = 12;
/// One line in so many is counted.
const SAMPLE: usize = 8;
/// A limit that is never reached.
const HOPELESS: u32 = u32::MAX;

/// Segments, found by the first bits of a hash.
#[derive(Debug)]
pub(crate) struct Extendible<S> {
    /// The logarithm of the number of pointers.
    bits: u32,
    pointers: Vec<u32>,
    pub(crate) segments: Vec<S>,
}

impl<S> Extendible<S> {
    /// Segments that each have an equal share of the hashes, in order: a power of two of them.
    pub(crate) fn new(segments: Vec<S>) -> Extendible<S> {
        debug_assert!(segments.len().is_power_of_two());
        Extendible { bits: segments.len().ilog2(), pointers: (0..segments.len() as u32).collect(), segments }
    }

    /// The number of the pointer for a hash.
    #[inline(always)]
    pub(crate) fn pointer(&self, hash: u64) -> usize {
        (hash >> 1 >> (63 - self.bits)) as usize
    }

    /// The pointers, each the number of a segment.
    pub(crate) fn pointers(&self) -> &[u32] {
        &self.pointers
    }

    /// The number of the segment for a hash.
    #[inline(always)]
    pub(crate) fn number(&self, hash: u64) -> u32 {
        self.pointers[self.pointer(hash)]
    }

    /// Bytes that a split of a segment of this depth takes, beside the segments' own.
    pub(crate) fn cost(&self, depth: u32) -> usize {
        size_of::<S>() + if depth == self.bits { self.pointers.len() * size_of::<u32>() } else { 0 }
    }

    /// Puts a segment in the place of another.
    pub(crate) fn replace(&mut self, number: u32, new: S) -> S {
        std::mem::replace(&mut self.segments[number as usize], new)
    }

    /// Puts two segments in the place of one whose hashes share `depth` bits.
    pub(crate) fn split(&mut self, number: u32, depth: u32, [low, high]: [S; 2]) -> S {
        self.attach(number, depth, high);
        self.replace(number, low)
    }

    /// Adds the second half of a segment whose hashes shared `depth` bits.
    pub(crate) fn attach(&mut self, number: u32, depth: u32, high: S) {
        if depth == self.bits {
            self.pointers = self.pointers.iter().flat_map(|&pointer| [pointer, pointer]).collect();
            self.bits += 1;
        }
        let first = self.pointers.iter().position(|&pointer| pointer == number);
        let first = first.expect("every segment has a pointer to it");
        let share = 1 << (self.bits - depth - 1);
        self.pointers[first + share..][..share].fill(self.segments.len() as u32);
        self.segments.push(high);
    }
}

/// The pointers of a directory, which are paid for before it doubles. One split in the wrong place doubles all of them,
/// so that a share for each split is not enough where hashes are uneven.
#[derive(Debug)]
pub(crate) struct Toll {
    /// The logarithm of the pointers that were paid for.
    bits: Mutex<u32>,
}

impl Toll {
    pub(crate) fn new() -> Toll {
        Toll { bits: Mutex::new(FIRST_DEPTH) }
    }

    /// Pays for pointers of so many bytes, as far as the split of a segment of this depth needs new ones. False if there
    /// is no memory, or if they would take more than all to which they lead.
    pub(crate) fn pay(&self, budget: &Budget, depth: u32, pointer: usize) -> bool {
        let mut bits = lock(&self.bits);
        if depth < *bits {
            return true;
        }
        let bytes = pointer << depth;
        let is_paid = bytes <= budget.used() && budget.take(bytes);
        if is_paid {
            *bits = depth + 1;
        }
        is_paid
    }
}

/// How full a segment is. This is in a cache line of its own: it is written all the time, and what lies beside it is
/// read.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Load {
    /// How many of the lines that are [counted](is_counted) are full. This stands for the load: it changes far less
    /// often than the number of entries.
    full: AtomicU32,
    /// With more of them the segment should grow.
    limit: AtomicU32,
}

/// What is almost a limit. So many lines less are full at a load that is a few percent less.
fn almost(limit: u32) -> u32 {
    limit - limit / 4
}

/// Whether a line of a segment with 2^`bits` is counted when it has become full.
#[inline(always)]
pub(crate) fn is_counted(bits: u32, line: usize) -> bool {
    bits < SAMPLED_BITS || line.is_multiple_of(SAMPLE)
}

impl Load {
    /// Of 2^`bits` lines, so many that are counted are full; it should grow when this share of all is.
    pub(crate) fn of(bits: u32, full: u32, share: f64) -> Load {
        let counted = (1_usize << bits) / if bits < SAMPLED_BITS { 1 } else { SAMPLE };
        // No limit would be taken for one that was urged.
        let limit = ((share * counted as f64) as u32).max(1);
        Load { full: AtomicU32::new(full), limit: AtomicU32::new(limit) }
    }

    /// A line that is counted has become full; whether the segment should grow, or will soon.
    #[inline]
    pub(crate) fn count(&self) -> Option<Urgency> {
        let (full, limit) = (self.full.fetch_add(1, Relaxed), self.limit.load(Relaxed));
        if full >= limit { Some(Urgency::Now) } else { (full == almost(limit)).then_some(Urgency::Soon) }
    }

    fn is_almost_full(&self) -> bool {
        let limit = self.limit.load(Relaxed);
        limit < HOPELESS && self.full.load(Relaxed) >= almost(limit)
    }

    /// Lets the segment grow, however full it is.
    fn urge(&self) {
        self.limit.store(0, Relaxed);
    }

    /// If it did not grow though it was urged, there is no memory: it is asked for no more.
    pub(crate) fn give_up(&self) {
        if self.limit.load(Relaxed) == 0 {
            self.limit.store(HOPELESS, Relaxed);
        }
    }
}

/// When a segment should grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Memory for it may be asked for.
    Soon,
    Now,
}

/// A segment that should grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    pub(crate) segment: u32,
    /// Its size when that was found out: somebody else may have been faster.
    pub(crate) size: u32,
    pub(crate) urgency: Urgency,
}

/// A segment that becomes twice as large until it splits.
pub(crate) trait Grow: Send {
    /// How many bits of the hash all its entries share.
    fn depth(&self) -> u32;

    /// The logarithm of how large the whole table would be, if all segments were like this one.
    fn size(&self) -> u32;

    fn load(&self) -> &Load;

    /// It, under this number, should grow.
    fn growth(&self, segment: u32, urgency: Urgency) -> Growth {
        Growth { segment, size: self.size(), urgency }
    }
}

impl<S: Grow> Extendible<S> {
    /// Whether a segment has grown meanwhile.
    pub(crate) fn is_past(&self, growth: Growth) -> bool {
        self.segments[growth.segment as usize].size() != growth.size
    }

    /// Takes all segments out: those that should grow, because this one does or because they are almost as full, and the
    /// others.
    pub(crate) fn take_full(&mut self, growth: Growth) -> (Vec<Numbered<S>>, Vec<Numbered<S>>) {
        self.segments[growth.segment as usize].load().urge();
        let segments = std::mem::take(&mut self.segments);
        (0..).zip(segments).partition(|(_, segment): &Numbered<S>| segment.load().is_almost_full())
    }

    /// Puts all segments back, in any order, with the second halves of those that were split.
    pub(crate) fn put_back(&mut self, mut segments: Vec<Grown<S>>) {
        segments.sort_unstable_by_key(|(number, ..)| *number);
        let mut halves = Vec::new();
        for (number, segment, half) in segments {
            self.segments.push(segment);
            halves.extend(half.map(|half| (number, half)));
        }
        halves.into_iter().for_each(|(number, half)| self.attach(number, half.depth() - 1, half));
    }
}
