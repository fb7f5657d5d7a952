//! A concurrent hash table of numbers. What they number is kept elsewhere.
//!
//! A directory of segments (extendible hashing), each a power of two of [buckets](bucket). The first
//! bits of the hash choose the segment, the next the home bucket in it, the next 16 are the tag. A
//! bucket that is full overflows into the ones behind it, within the segment.
//!
//! When a segment doubles, bucket `b` becomes `2b` and `2b + 1`, and the top bit of the tag says
//! which; so entries move from front to back without a look at their vectors, and tags lose a bit.
//! Only when they have few left, the vectors are hashed again. Segments double up to 2 MiB and then
//! split in two one at a time, so growth needs little memory beside the table itself.
//!
//! Threads hold the lock of the directory shared while they look up a batch; only growth takes it
//! exclusively.

pub(crate) mod bucket;
mod segment;

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use self::bucket::{Bucket, Entry, MAX_DISTANCE, SLOTS};
use self::segment::Segment;
use crate::budget::Budget;
use crate::region::{Region, prefetch};

/// The logarithm of the buckets in a segment of 2 MiB.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// The logarithm of the buckets of a new table.
const FIRST_BITS: u32 = 4;

/// What is numbered.
pub(crate) trait Numbered {
    /// Asks for what has this number.
    fn prefetch(&self, number: u32);
    /// Its hash.
    fn hash(&self, number: u32) -> u64;
}

#[derive(Debug)]
pub(crate) struct Index {
    directory: RwLock<Directory>,
    budget: Arc<Budget>,
}

/// Where the entries for a hash begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    start: *const Bucket,
    bucket: u32,
    /// The buckets of the segment less one.
    mask: u32,
    segment: u32,
    tag: u16,
}

impl Home {
    /// Asks for the bucket.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch(self.start.wrapping_add(self.bucket as usize).cast());
    }
}

/// What a home bucket leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Candidate {
    /// The first number that may be it.
    Number(u32),
    /// No such number, but the bucket is full.
    NextBucket(*const u8),
}

/// What came of an attempt to enter a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// It is there under this number.
    Old(u32),
    /// It was put in; if a segment is named, that should grow soon.
    New(u32, Option<Growth>),
    /// There is no new number.
    NoNumber,
    /// The segment must grow first.
    Crowded(Growth),
}

/// A segment that should grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    segment: u32,
    /// Its size when that was found out: somebody else may have been faster.
    size: u32,
}

impl Index {
    pub(crate) fn new(budget: Arc<Budget>) -> Index {
        budget.force(Segment::bytes(FIRST_BITS));
        let segment = Segment::new(FIRST_BITS, 0, 0, &budget).expect("there is memory for a few buckets");
        let directory =
            Directory { bits: 0, pointers: vec![Pointer::to(&segment, 0)], segments: vec![segment], spare: None };
        Index { directory: RwLock::new(directory), budget }
    }

    /// The table, for as long as the guard lives.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Doubles a segment; false if that cannot be.
    #[cold]
    pub(crate) fn grow(&self, growth: Growth, vectors: &impl Numbered) -> bool {
        let mut directory = self.directory.write().unwrap_or_else(PoisonError::into_inner);
        let segment = &directory.segments[growth.segment as usize];
        if segment.bits + segment.depth != growth.size {
            return true;
        }
        let (bytes, splits) = (Segment::bytes(segment.bits), segment.splits());
        let spare = directory.spare.as_ref().map_or(0, Region::bytes);
        let taken = 2 * bytes + directory.growth(growth.segment) - if splits { spare } else { 0 };
        if !self.budget.take(taken) {
            segment.limit.store(u32::MAX, Ordering::Relaxed);
            return false;
        }
        let spare = if splits { directory.spare.take() } else { None };
        let segment = &directory.segments[growth.segment as usize];
        let Some(parts) = segment.doubled(vectors, spare, &self.budget) else {
            segment.limit.store(u32::MAX, Ordering::Relaxed);
            self.budget.give_back(taken);
            return false;
        };
        let old = directory.replace(growth.segment, parts);
        if splits {
            directory.spare = Some(old.into_region());
        } else {
            self.budget.give_back(bytes);
        }
        true
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.read().segments.iter().map(|segment| SLOTS << segment.bits).sum()
    }
}

#[derive(Debug)]
pub(crate) struct Directory {
    /// The logarithm of the number of pointers.
    bits: u32,
    pointers: Vec<Pointer>,
    segments: Vec<Segment>,
    /// The memory of the segment that was split last. To clear it is several times faster than to
    /// get new memory from the operating system.
    spare: Option<Region>,
}

/// What a lookup needs to know of a segment, in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    start: *const Bucket,
    segment: u32,
    bits: u8,
    depth: u8,
    lost: u8,
}

// SAFETY: the pointers go to segments of the same directory, whose buckets change only through
// atomics.
unsafe impl Send for Directory {}
// SAFETY: as above.
unsafe impl Sync for Directory {}

impl Pointer {
    fn to(segment: &Segment, number: u32) -> Pointer {
        let Segment { bits, depth, lost, .. } = *segment;
        Pointer { start: segment.start(), segment: number, bits: bits as u8, depth: depth as u8, lost: lost as u8 }
    }
}

impl Directory {
    /// Where to look for a hash.
    #[inline]
    pub(crate) fn home(&self, hash: u64) -> Home {
        let pointer = &self.pointers[(hash >> 1 >> (63 - self.bits)) as usize];
        let bits = u32::from(pointer.bits);
        let rest = hash << pointer.depth;
        let bucket = (rest >> (64 - bits)) as u32;
        let tag = (rest << bits >> 48) as u16 >> pointer.lost << pointer.lost;
        Home { start: pointer.start, bucket, mask: (1 << bits) - 1, segment: pointer.segment, tag }
    }

    #[inline(always)]
    fn bucket(&self, home: &Home, distance: u32) -> &Bucket {
        let bucket = (home.bucket + distance) & home.mask;
        // SAFETY: `home` was made by this directory under the same guard, so that the segment is
        // still there; the mask keeps the bucket inside.
        unsafe { &*home.start.add(bucket as usize) }
    }

    /// What should be fetched once the home bucket is there.
    #[inline]
    pub(crate) fn candidate(&self, home: &Home) -> Option<Candidate> {
        let bucket = self.bucket(home, 0);
        let view = bucket.glance(home.tag);
        if view.matches != 0 {
            return Some(Candidate::Number(bucket.number(view.matches.trailing_zeros() as usize)));
        }
        let next = || Candidate::NextBucket(std::ptr::from_ref(self.bucket(home, 1)).cast());
        (view.free == SLOTS).then(next)
    }

    /// Looks for a number.
    #[inline]
    pub(crate) fn find(&self, home: &Home, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        for distance in 0..=MAX_DISTANCE {
            let bucket = self.bucket(home, distance);
            let view = bucket.look(home.tag);
            if let Some(number) = numbers(bucket, view.matches).find(|&number| is_it(number)) {
                return Some(number);
            }
            if view.free < SLOTS {
                return None;
            }
        }
        None
    }

    /// Looks for a number, and puts the one that `fresh` names in if it is not there.
    ///
    /// `fresh` may be called more than once and names the same number then.
    #[inline]
    pub(crate) fn enter(
        &self,
        home: &Home,
        mut is_it: impl FnMut(u32) -> bool,
        mut fresh: impl FnMut() -> Option<u32>,
    ) -> Entered {
        let mut distance = 0;
        while distance <= MAX_DISTANCE {
            let bucket = self.bucket(home, distance);
            let view = bucket.look(home.tag);
            if let Some(number) = numbers(bucket, view.matches).find(|&number| is_it(number)) {
                return Entered::Old(number);
            }
            if view.free == SLOTS {
                distance += 1;
                continue;
            }
            let Some(number) = fresh() else { return Entered::NoNumber };
            if bucket.fill(view.free, Entry { number, tag: home.tag, distance }) {
                let growth = if view.free == SLOTS - 1 { self.count_full(home) } else { None };
                return Entered::New(number, growth);
            }
        }
        Entered::Crowded(self.growth_of(home))
    }

    /// A bucket has become full.
    #[inline]
    fn count_full(&self, home: &Home) -> Option<Growth> {
        let segment = &self.segments[home.segment as usize];
        let full = segment.full.fetch_add(1, Ordering::Relaxed) + 1;
        (full > segment.limit.load(Ordering::Relaxed)).then(|| self.growth_of(home))
    }

    fn growth_of(&self, home: &Home) -> Growth {
        let segment = &self.segments[home.segment as usize];
        Growth { segment: home.segment, size: segment.bits + segment.depth }
    }

    /// Bytes by which the directory grows when a segment does.
    fn growth(&self, segment: u32) -> usize {
        let segment = &self.segments[segment as usize];
        if !segment.splits() {
            return 0;
        }
        let doubled = if segment.depth == self.bits { self.pointers.len() } else { 0 };
        size_of::<Segment>() + doubled * size_of::<Pointer>()
    }

    /// Puts one segment or two in the place of one, which is returned.
    fn replace(&mut self, segment: u32, mut parts: Vec<Segment>) -> Segment {
        let depth = parts[0].depth;
        if depth > self.bits {
            self.pointers = self.pointers.iter().flat_map(|&pointer| [pointer, pointer]).collect();
            self.bits += 1;
        }
        let first = self.pointers.iter().position(|pointer| pointer.segment == segment);
        let first = first.expect("every segment has a pointer to it");
        let share = 1 << (self.bits - depth);
        for (part, new) in parts.iter().enumerate() {
            new.count_full();
            let number = if part == 0 { segment } else { self.segments.len() as u32 };
            self.pointers[first + part * share..][..share].fill(Pointer::to(new, number));
        }
        self.segments.extend(parts.drain(1..));
        let part = parts.pop().expect("there is a first part");
        std::mem::replace(&mut self.segments[segment as usize], part)
    }
}

/// The numbers in some slots of a bucket.
#[inline(always)]
fn numbers(bucket: &Bucket, mut slots: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::from_fn(move || {
        let slot = (slots != 0).then(|| slots.trailing_zeros() as usize)?;
        slots &= slots - 1;
        Some(bucket.number(slot))
    })
}
