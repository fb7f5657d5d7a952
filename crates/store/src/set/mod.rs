//! A concurrent set of short [keys](Key) that are spread evenly: hashes, or what a permutation made
//! of short vectors.
//!
//! A directory of segments (extendible hashing: Fagin, Nievergelt, Pippenger, Strong 1979): the
//! first bits of the hash choose the segment, the last a cache line in it; a line that is full
//! overflows into those behind it. Segments grow up to 2 MiB and then split in two one at a time,
//! so growth needs little memory beside the table itself. Threads hold the lock of the directory
//! shared while they look up a batch; only growth takes it exclusively, with the help of all who wait.

mod key;
mod segment;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use crossbeam_utils::sync::ShardedLockReadGuard;

pub(crate) use self::key::Key;
use self::key::{Claim, Glance};
use self::segment::Segment;
use crate::budget::Budget;
use crate::extendible::{Extendible, FIRST_DEPTH, Grow, Growth, Toll, Urgency};
use crate::region::prefetch_to_write;
use crate::reserve::PIECE;
use crate::shared::{self, Shared, lock};
use crate::store::{Fresh, Handle};
use crate::wide;

/// The logarithm of the lines of a new segment.
const FIRST_BITS: u32 = 3;
/// The logarithm of the lines of a segment of 2 MiB, which splits rather than grows.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// A key lies in one of so many lines: more than are full in a row when a segment grows.
const MAX_LINES: usize = 32;
/// Bytes of a line.
const LINE: usize = 64;
const _: () = assert!(LINE << MAX_BITS == PIECE, "a segment that splits is a piece");
/// How many keys are on their way at once, and as many are looked at: enough to hide the latency of memory, few enough to
/// leave room in the first cache.
const GROUP: usize = 32;

/// The set.
#[derive(Debug)]
pub(crate) struct Set<K: Key> {
    table: Shared<Table<K>>,
    /// Those [without slots](Key::is_void): almost none.
    voids: Voids<K>,
    toll: Toll,
    budget: Arc<Budget>,
}

type Voids<K> = Mutex<HashSet<K>>;

#[derive(Debug)]
struct Table<K: Key> {
    directory: Extendible<Segment<K>>,
    /// For each pointer of the directory, where the lines of its segment are.
    heads: Vec<Head>,
}

/// The lines of a segment.
#[derive(Clone, Copy, Debug)]
struct Head {
    start: *mut u8,
    /// Of the hash, shifted by the size of a line: which bits are the place of the line.
    mask: usize,
}

// SAFETY: a head points into a segment of the same table, which lives as long; lines change only
// through atomics.
unsafe impl<K: Key> Send for Table<K> {}
// SAFETY: as above.
unsafe impl<K: Key> Sync for Table<K> {}

/// Why an insertion stops.
enum Stop {
    /// A segment should grow, or will soon.
    Should(Growth),
    /// A segment must grow before the next key can be put in.
    Must(Growth),
}

/// The lines of two groups of keys: those that are looked at, and the next, which are on their way.
#[derive(Debug)]
struct Flight([[*const u8; GROUP]; 2]);

impl<K: Key> Set<K> {
    pub(crate) fn new(budget: Arc<Budget>) -> Set<K> {
        let segment = |_| {
            let region = budget.zeroed(LINE << FIRST_BITS).expect("there is memory for a few lines");
            budget.force(region.bytes());
            Segment::in_region(region, FIRST_BITS, FIRST_DEPTH)
        };
        let segments = (0..1 << FIRST_DEPTH).map(segment).collect();
        let table = Table { directory: Extendible::new(segments), heads: Vec::new() };
        Set { table: Shared::new(table), voids: Mutex::default(), toll: Toll::new(), budget }
    }

    fn read(&self) -> ShardedLockReadGuard<'_, Table<K>> {
        self.table.read(|segment| self.enlarge(segment))
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.read().directory.segments.iter().map(|segment| K::SLOTS << segment.bits).sum()
    }

    /// Looks the keys up in order and puts in those that are not there; appends these to `fresh`, the
    /// first key being item `first`. Handles mean nothing here. Of equal keys the first is new.
    /// Returns how many are.
    pub(crate) fn insert(&self, keys: &[K], first: usize, fresh: &mut Vec<Fresh>) -> u64 {
        let before = fresh.len();
        let (mut from, mut refused) = (0, 0);
        while from < keys.len() {
            let table = self.read();
            let stop = if wide::is_there() {
                table.insert::<true>(&self.voids, keys, &mut from, (first, fresh))
            } else {
                table.insert::<false>(&self.voids, keys, &mut from, (first, fresh))
            };
            drop(table);
            match stop {
                Some(Stop::Must(growth)) if !self.grow(growth) => {
                    fresh.push(Fresh { place: (first + from) as u32, handle: None });
                    refused += 1;
                    from += 1;
                }
                Some(Stop::Should(growth)) => _ = self.grow(growth),
                _ => {}
            }
        }
        (fresh.len() - before - refused) as u64
    }

    /// Whether each of the keys is there.
    #[inline]
    pub(crate) fn lookup(&self, keys: &[K], mut answer: impl FnMut(bool)) {
        let table = self.read();
        let mut flight = Flight::EMPTY;
        for group in keys.chunks(GROUP) {
            let lines = table.fetch(group, &mut flight.0[0]);
            for (&key, &line) in group.iter().zip(lines) {
                let is_home = !key.is_void() && key.glance::<false>(table.line(line)).found;
                answer(is_home || if key.is_void() { lock(&self.voids).contains(&key) } else { table.has(key) });
            }
        }
    }

    /// All keys, and the memory that they were in is free.
    pub(crate) fn into_keys(self) -> impl Iterator<Item = K> {
        let Set { table, voids, budget, .. } = self;
        budget.release();
        let table = table.into_inner();
        let voids = std::mem::take(&mut *lock(&voids));
        let segments = table.directory.segments.into_iter().flat_map(move |segment| {
            let keys: Vec<K> = segment.keys().collect();
            budget.give_back(segment.region.bytes());
            keys
        });
        voids.into_iter().chain(segments)
    }

    /// Enlarges or splits a segment, and others that are almost as full; false if that cannot be.
    #[cold]
    fn grow(&self, growth: Growth) -> bool {
        if growth.urgency == Urgency::Soon {
            self.budget.prepare();
            return true;
        }
        self.table.grow(growth, |segment| self.enlarge(segment))
    }

    /// Makes a segment larger, or splits it and returns the second half; nothing if there is no memory.
    fn enlarge(&self, segment: &mut Segment<K>) -> Option<Segment<K>> {
        if segment.bits < MAX_BITS {
            self.double(segment);
            return None;
        }
        if !self.toll.pay(&self.budget, segment.depth(), Table::<K>::POINTER) {
            return None;
        }
        let region = self.budget.piece()?;
        if !self.budget.take(Table::<K>::COST) {
            self.budget.give_back(region.bytes());
            return None;
        }
        let high = segment.split(region);
        high.map_err(|region| self.budget.give_back(region.bytes() + Table::<K>::COST)).ok()
    }

    fn double(&self, segment: &mut Segment<K>) {
        let bytes = segment.region.bytes();
        let Some((region, doublings)) = self.budget.allocate_doubled(bytes, MAX_BITS - segment.bits) else { return };
        if let Some(whole) = segment.doubled(region, doublings) {
            *segment = whole;
            self.budget.give_back(bytes);
        } else {
            self.budget.give_back(bytes << doublings);
        }
    }
}

impl Flight {
    const EMPTY: Flight = Flight([[std::ptr::null(); GROUP]; 2]);
}

impl<K: Key> shared::Table for Table<K> {
    type Segment = Segment<K>;

    fn directory(&mut self) -> &mut Extendible<Segment<K>> {
        &mut self.directory
    }

    fn point(&mut self) {
        let segments = &self.directory.segments;
        let head = |&number: &u32| {
            let segment = &segments[number as usize];
            Head { start: segment.region.start(), mask: (LINE << segment.bits) - LINE }
        };
        self.heads.clear();
        self.heads.extend(self.directory.pointers().iter().map(head));
    }
}

impl<K: Key> Table<K> {
    /// Bytes that a segment takes in the directory, its pointers aside.
    const COST: usize = size_of::<Segment<K>>();
    /// Bytes of a pointer.
    const POINTER: usize = size_of::<u32>() + size_of::<Head>();

    #[inline(always)]
    fn home(&self, hash: u64) -> *const u8 {
        let Head { start, mask } = self.heads[self.directory.pointer(hash)];
        start.wrapping_add((hash as usize) << LINE.trailing_zeros() & mask)
    }

    /// A line that `home` gave.
    #[inline(always)]
    fn line(&self, line: *const u8) -> &K::Line {
        // SAFETY: it points to a line of a segment of this table, which is borrowed; a line is zeroed
        // at first and changes only through atomics.
        unsafe { &*line.cast::<K::Line>() }
    }

    /// Asks for the lines of at most a group of keys. First all addresses, then all prefetches: a
    /// prefetch waits for the translation of its address, and only prefetches that stand close
    /// together wait at the same time.
    #[inline(always)]
    fn fetch<'a>(&self, keys: &[K], lines: &'a mut [*const u8; GROUP]) -> &'a [*const u8] {
        let lines = &mut lines[..keys.len()];
        lines.iter_mut().zip(keys).for_each(|(line, key)| *line = self.home(key.spread()));
        lines.iter().for_each(|&line| prefetch_to_write(line));
        lines
    }

    /// Answers the keys from `from` on, until a segment should, or must, grow.
    fn insert<const WIDE: bool>(
        &self,
        voids: &Voids<K>,
        keys: &[K],
        from: &mut usize,
        (offset, fresh): (usize, &mut Vec<Fresh>),
    ) -> Option<Stop> {
        let mut flight = Flight::EMPTY;
        let [one, other] = &mut flight.0;
        let (mut ahead, mut here) = (one, other);
        let group = |at: usize| &keys[at.min(keys.len())..keys.len().min(at + GROUP)];
        self.fetch(group(*from), ahead);
        while *from < keys.len() {
            let first = *from;
            std::mem::swap(&mut ahead, &mut here);
            self.fetch(group(first + GROUP), ahead);
            for (at, (&key, &line)) in group(first).iter().zip(&*here).enumerate() {
                let home = self.line(line);
                let Glance { found, free } = key.glance::<WIDE>(home);
                if key.is_void() {
                    // To be put in along the way of its own.
                } else if found {
                    continue;
                } else if free + 1 < K::SLOTS && key.claim(home, free) == Claim::Won {
                    // The last slot of a line is not filled here, because that is counted.
                    fresh.push(Fresh { place: (offset + first + at) as u32, handle: Some(Handle(0)) });
                    continue;
                }
                *from = first + at;
                match self.enter::<WIDE>(voids, key) {
                    Ok(None) => {}
                    Ok(Some(growth)) => {
                        fresh.push(Fresh { place: (offset + first + at) as u32, handle: Some(Handle(0)) });
                        if growth.is_some() {
                            *from += 1;
                            return growth.map(Stop::Should);
                        }
                    }
                    Err(growth) => return Some(Stop::Must(growth)),
                }
            }
            *from = keys.len().min(first + GROUP);
        }
        None
    }

    /// Whether a key is there.
    fn has(&self, key: K) -> bool {
        let segment = &self.directory.segments[self.directory.number(key.spread()) as usize];
        for slot in segment.path(key).flat_map(|(_, line)| (0..K::SLOTS).map(|slot| K::get(line, slot))) {
            match slot {
                Some(other) if other == key => return true,
                Some(_) => {}
                None => break,
            }
        }
        false
    }

    /// Puts a key in. Nothing if it is there; else, if a segment should grow or will soon, which one. An error
    /// if one must grow before.
    fn enter<const WIDE: bool>(&self, voids: &Voids<K>, key: K) -> Result<Option<Option<Growth>>, Growth> {
        if key.is_void() {
            return Ok(lock(voids).insert(key).then_some(None));
        }
        let number = self.directory.number(key.spread());
        let segment = &self.directory.segments[number as usize];
        for (at, line) in segment.path(key) {
            let Glance { found, free } = key.glance::<WIDE>(line);
            if found {
                return Ok(None);
            }
            for slot in if free <= K::SLOTS { free } else { 0 }..K::SLOTS {
                match key.claim(line, slot) {
                    Claim::Same => return Ok(None),
                    Claim::Other => {}
                    Claim::Won => {
                        let fills = slot + 1 == K::SLOTS;
                        return Ok(Some(if fills { segment.count_full(number, at) } else { None }));
                    }
                }
            }
        }
        Err(segment.growth(number, Urgency::Now))
    }
}
