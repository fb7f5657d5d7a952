//! A concurrent hash table of numbers. What they number is kept elsewhere.
//!
//! A directory of segments (extendible hashing), each a power of two of [buckets](bucket). The first
//! bits of the hash choose the segment, the next the home bucket in it, the next 16 are the tag. A
//! bucket that is full overflows into the ones behind it, within the segment.
//!
//! When a segment doubles, bucket `b` becomes `2b` and `2b + 1`, and the top bit of the tag says
//! which; so entries move from front to back without a look at their vectors, and tags lose a bit.
//! Only when they have few left, the vectors are hashed again. Segments grow up to 2 MiB, several
//! doublings at once, and then split in two one at a time, so growth needs little memory beside the table itself.
//!
//! Threads hold the lock of the directory shared while they look up a batch; only growth takes it
//! exclusively, with the help of all who wait.

pub(crate) mod bucket;
mod segment;

use std::sync::Arc;

use crossbeam_utils::sync::ShardedLockReadGuard;

use self::bucket::{Bucket, Entry, MAX_DISTANCE, SLOTS};
use self::segment::Segment;
use crate::budget::Budget;
use crate::extendible::{Extendible, FIRST_DEPTH, Grow, Growth, Toll, Urgency};
use crate::region::prefetch;
use crate::shared::{self, Shared};

/// The logarithm of the buckets in a segment of 2 MiB.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// The logarithm of the buckets of a new segment.
const FIRST_BITS: u32 = 3;
#[cfg(not(loom))]
const _: () = assert!(size_of::<Bucket>() << MAX_BITS == crate::reserve::PIECE, "a segment that splits is a piece");

/// What is numbered.
pub(crate) trait Numbered: Sync {
    /// Asks for what has this number.
    fn prefetch(&self, number: u32);
    /// Its hash.
    fn hash(&self, number: u32) -> u64;
}

#[derive(Debug)]
pub(crate) struct Index {
    directory: Shared<Directory>,
    toll: Toll,
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
    /// It was put in; if a segment is named, that should grow, or will soon.
    New(u32, Option<Growth>),
    /// There is no new number.
    NoNumber,
    /// The segment must grow first.
    Crowded(Growth),
}

impl Index {
    pub(crate) fn new(budget: Arc<Budget>) -> Index {
        let segment = |_| {
            budget.force(Segment::bytes(FIRST_BITS));
            Segment::new(FIRST_BITS, FIRST_DEPTH, 0, &budget).expect("there is memory for a few buckets")
        };
        let segments = (0..1 << FIRST_DEPTH).map(segment).collect();
        let directory = Directory { table: Extendible::new(segments), pointers: Vec::new() };
        Index { directory: Shared::new(directory), toll: Toll::new(), budget }
    }

    /// The table, for as long as the guard lives.
    #[inline]
    pub(crate) fn read(&self, vectors: &impl Numbered) -> ShardedLockReadGuard<'_, Directory> {
        self.directory.read(|segment| self.enlarge(segment, vectors))
    }

    /// Enlarges or splits a segment, and others that are almost as full; false if that cannot be.
    #[cold]
    pub(crate) fn grow(&self, growth: Growth, vectors: &impl Numbered) -> bool {
        if growth.urgency == Urgency::Soon {
            self.budget.prepare();
            return true;
        }
        self.directory.grow(growth, |segment| self.enlarge(segment, vectors))
    }

    /// Makes a segment larger, or splits it and returns the second half; nothing if there is no memory, or a
    /// home is crowded beyond repair.
    fn enlarge(&self, segment: &mut Segment, vectors: &impl Numbered) -> Option<Segment> {
        let bytes = Segment::bytes(segment.bits);
        if segment.splits() {
            return self.split(segment, vectors);
        }
        let (region, doublings) = self.budget.allocate_doubled(bytes, MAX_BITS - segment.bits)?;
        if let Some(whole) = segment.doubled(region, doublings, vectors) {
            *segment = whole;
            self.budget.give_back(bytes);
        } else {
            self.budget.give_back(bytes << doublings);
        }
        None
    }

    fn split(&self, segment: &mut Segment, vectors: &impl Numbered) -> Option<Segment> {
        if !self.toll.pay(&self.budget, segment.depth, Directory::POINTER) || !self.budget.take(Directory::COST) {
            return None;
        }
        let halves = self.budget.piece().map(|low| (low, self.budget.piece()));
        let parts = match halves {
            Some((low, Some(high))) => segment.halves([low, high], vectors),
            Some((low, None)) => Err(vec![low]),
            None => Err(Vec::new()),
        };
        match parts {
            Ok([low, high]) => {
                self.budget.recycle(std::mem::replace(segment, low).into_region());
                Some(high)
            }
            Err(regions) => {
                self.budget.give_back(Directory::COST);
                regions.into_iter().for_each(|region| self.budget.recycle(region));
                None
            }
        }
    }

    /// How many slots there are.
    pub(crate) fn slots(&self, vectors: &impl Numbered) -> usize {
        self.read(vectors).table.segments.iter().map(|segment| SLOTS << segment.bits).sum()
    }
}

#[derive(Debug)]
pub(crate) struct Directory {
    table: Extendible<Segment>,
    /// For each pointer of the table, what a lookup needs to know of its segment.
    pointers: Vec<Pointer>,
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

impl shared::Table for Directory {
    type Segment = Segment;

    fn directory(&mut self) -> &mut Extendible<Segment> {
        &mut self.table
    }

    fn point(&mut self) {
        let segments = &self.table.segments;
        self.pointers.clear();
        let pointers = self.table.pointers().iter();
        self.pointers.extend(pointers.map(|&number| Pointer::to(&segments[number as usize], number)));
    }
}

impl Directory {
    /// Bytes that a segment takes here, its pointers aside.
    const COST: usize = size_of::<Segment>();
    /// Bytes of a pointer.
    const POINTER: usize = size_of::<u32>() + size_of::<Pointer>();

    /// Where to look for a hash.
    #[inline]
    pub(crate) fn home(&self, hash: u64) -> Home {
        let pointer = &self.pointers[self.table.pointer(hash)];
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
                let growth = if view.free == SLOTS - 1 { self.count_full(home, distance) } else { None };
                return Entered::New(number, growth);
            }
        }
        Entered::Crowded(self.growth_of(home))
    }

    /// A bucket has become full.
    #[inline]
    fn count_full(&self, home: &Home, distance: u32) -> Option<Growth> {
        self.segment(home).count_full(home.segment, ((home.bucket + distance) & home.mask) as usize)
    }

    fn growth_of(&self, home: &Home) -> Growth {
        self.segment(home).growth(home.segment, Urgency::Now)
    }

    fn segment(&self, home: &Home) -> &Segment {
        &self.table.segments[home.segment as usize]
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
