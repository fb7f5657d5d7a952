//! A concurrent set of short [keys](Key) that are spread evenly: hashes, or what a permutation made
//! of short vectors.
//!
//! A directory of segments (extendible hashing: Fagin, Nievergelt, Pippenger, Strong 1979): the
//! first bits of the hash choose the segment, the last a cache line in it; a line that is full
//! overflows into those behind it. Segments double up to 2 MiB and then split in two one at a time,
//! so growth needs little memory beside the table itself. Threads hold the lock of the directory
//! shared while they look up a batch; only growth takes it exclusively.

mod key;
mod reserve;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread;

pub(crate) use self::key::Key;
use self::key::{Claim, Glance};
use self::reserve::Reserve;
use crate::budget::Budget;
use crate::extendible::Extendible;
use crate::region::{Region, prefetch_to_write};
use crate::store::{Fresh, Handle};
use crate::wide;

/// The logarithm of the lines of a new table.
const FIRST_BITS: u32 = 4;
/// The logarithm of the lines of a segment of 2 MiB, which splits rather than doubles.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// A key lies in one of so many lines: more than are full in a row when a segment grows.
const MAX_LINES: usize = 32;
/// The share of lines that are full when a segment grows: at a load of about 0.65. At 0.73 searches were some 5 %
/// slower, because more keys are not in their first line.
const FULL: f64 = 0.18;
/// Bytes of a line.
const LINE: usize = 64;
/// So many segments are more than one thread should be busy with.
const HELPED: usize = 2;
/// How many keys are on their way at once.
const GROUP: usize = 64;

/// The set.
#[derive(Debug)]
pub(crate) struct Set<K: Key> {
    table: RwLock<Table<K>>,
    /// Those [without slots](Key::is_void): almost none.
    voids: Voids<K>,
    /// Memory for the second halves of segments that split.
    reserve: Reserve,
    budget: Arc<Budget>,
}

type Voids<K> = Mutex<HashSet<K>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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

#[derive(Debug)]
struct Segment<K> {
    region: Region,
    bits: u32,
    depth: u32,
    /// How many lines are full.
    full: AtomicU32,
    /// With more of them it should grow.
    limit: AtomicU32,
    keys: std::marker::PhantomData<K>,
}

/// A segment that should grow, and its size then: somebody else may have been faster.
#[derive(Clone, Copy, Debug)]
struct Growth {
    segment: u32,
    size: u32,
}

/// Why an insertion stops.
enum Stop {
    /// A segment will split soon.
    Soon,
    /// A segment should grow.
    Should(Growth),
    /// A segment must grow before the next key can be put in.
    Must(Growth),
}

/// The lines of two groups of keys: those that are looked at, and the next, which are on their way.
#[derive(Debug)]
struct Flight([[*const u8; GROUP]; 2]);

impl<K: Key> Set<K> {
    pub(crate) fn new(budget: Arc<Budget>) -> Set<K> {
        let region = budget.zeroed(LINE << FIRST_BITS).expect("there is memory for a few lines");
        budget.force(region.bytes());
        let segment = Segment::in_region(region, FIRST_BITS, 0);
        let mut table = Table { directory: Extendible::new(segment), heads: Vec::new() };
        table.point();
        let reserve = Reserve::new(LINE << MAX_BITS, Arc::clone(&budget));
        Set { table: RwLock::new(table), voids: Mutex::default(), reserve, budget }
    }

    fn read(&self) -> RwLockReadGuard<'_, Table<K>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
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
                Some(Stop::Soon) => self.reserve.prepare(),
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
        let Set { table, voids, reserve, budget, .. } = self;
        drop(reserve);
        let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
        let voids = std::mem::take(&mut *lock(&voids));
        let segments = table.directory.segments.into_iter().flat_map(move |segment| {
            let keys: Vec<K> = segment.keys().collect();
            budget.give_back(segment.region.bytes());
            keys
        });
        voids.into_iter().chain(segments)
    }

    /// Doubles or splits a segment, and with it all others that are almost as full, which they are as
    /// a rule; false if that cannot be. If several threads use the set, all but this one wait:
    /// so there are cores for a second one that helps.
    #[cold]
    fn grow(&self, growth: Growth) -> bool {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let segment = &table.directory.segments[growth.segment as usize];
        if segment.bits + segment.depth != growth.size {
            return true;
        }
        segment.limit.store(0, Ordering::Relaxed);
        let mut full: Vec<(u32, &mut Segment<K>)> =
            (0..).zip(&mut table.directory.segments).filter(|(_, segment)| segment.is_almost_full()).collect();
        let half = if full.len() >= HELPED && self.budget.users() > 1 { full.len() / 2 } else { 0 };
        let (some, others) = full.split_at_mut(half);
        let mut new = thread::scope(|scope| {
            let helper = (half > 0).then(|| scope.spawn(|| self.grow_all(some)));
            let mut new = self.grow_all(others);
            new.extend(helper.into_iter().flat_map(|helper| helper.join().expect("growth does not panic")));
            new
        });
        new.sort_unstable_by_key(|(number, _)| *number);
        new.into_iter().for_each(|(number, high)| table.directory.attach(number, high.depth - 1, high));
        table.point();
        let segment = &table.directory.segments[growth.segment as usize];
        segment.bits + segment.depth != growth.size
    }

    /// Doubles or splits segments; the second halves of those that were split.
    fn grow_all(&self, segments: &mut [(u32, &mut Segment<K>)]) -> Vec<(u32, Segment<K>)> {
        let mut new = Vec::new();
        for (number, segment) in segments {
            if segment.bits < MAX_BITS {
                self.double(segment);
            } else if let Some(high) = self.split(segment) {
                new.push((*number, high));
            }
            if segment.limit.load(Ordering::Relaxed) == 0 {
                // It is asked for no more: there is no memory.
                segment.limit.store(u32::MAX, Ordering::Relaxed);
            }
        }
        new
    }

    fn allocate(&self, bytes: usize) -> Option<Region> {
        if self.budget.take(bytes) { self.budget.zeroed(bytes) } else { None }
    }

    /// Makes a segment twice as large, if there is memory.
    fn double(&self, segment: &mut Segment<K>) {
        let Some(memory) = self.allocate(2 * segment.region.bytes()) else { return };
        let mut whole = Segment::in_region(memory, segment.bits + 1, segment.depth);
        let mut filling = Filling::of(whole.bits);
        if segment.keys().all(|key| filling.put(&whole, key)) {
            whole.full = AtomicU32::new(filling.full);
            let old = std::mem::replace(segment, whole);
            self.budget.give_back(old.region.bytes());
        }
    }

    /// Splits a segment in two, if there is memory: it becomes the first half; the second half.
    fn split(&self, segment: &mut Segment<K>) -> Option<Segment<K>> {
        let memory = self.reserve.take()?;
        let Some(begin) = segment.first_line().filter(|_| self.budget.take(Table::<K>::COST)) else {
            self.budget.give_back(memory.bytes());
            return None;
        };
        let mut high = Segment::in_region(memory, segment.bits, segment.depth + 1);
        segment.split(begin, &mut high);
        Some(high)
    }
}

impl Flight {
    const EMPTY: Flight = Flight([[std::ptr::null(); GROUP]; 2]);
}

impl<K: Key> Table<K> {
    /// Bytes that a segment takes in the directory, when it doubles.
    const COST: usize = size_of::<Segment<K>>() + 2 * (size_of::<u32>() + size_of::<Head>());

    /// Points to the segments as they are now.
    fn point(&mut self) {
        let segments = &self.directory.segments;
        let head = |&number: &u32| {
            let segment = &segments[number as usize];
            Head { start: segment.region.start(), mask: (LINE << segment.bits) - LINE }
        };
        self.heads.clear();
        self.heads.extend(self.directory.pointers().iter().map(head));
    }

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
                match self.enter(voids, key) {
                    Ok(None) => {}
                    Ok(Some(stop)) => {
                        fresh.push(Fresh { place: (offset + first + at) as u32, handle: Some(Handle(0)) });
                        if stop.is_some() {
                            *from += 1;
                            return stop;
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
        for slot in segment.path(key).flat_map(|line| (0..K::SLOTS).map(|slot| K::get(line, slot))) {
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
    fn enter(&self, voids: &Voids<K>, key: K) -> Result<Option<Option<Stop>>, Growth> {
        if key.is_void() {
            return Ok(lock(voids).insert(key).then_some(None));
        }
        let number = self.directory.number(key.spread());
        let segment = &self.directory.segments[number as usize];
        let growth = || Growth { segment: number, size: segment.bits + segment.depth };
        for line in segment.path(key) {
            for slot in 0..K::SLOTS {
                match key.claim(line, slot) {
                    Claim::Same => return Ok(None),
                    Claim::Other => {}
                    Claim::Won => {
                        let fills = slot + 1 == K::SLOTS;
                        return Ok(Some(if fills { segment.count_full(growth) } else { None }));
                    }
                }
            }
        }
        Err(growth())
    }
}

impl<K: Key> Segment<K> {
    fn in_region(region: Region, bits: u32, depth: u32) -> Segment<K> {
        const { assert!(size_of::<K::Line>() == LINE) };
        let limit = Segment::<K>::limit(bits);
        Segment { region, bits, depth, full: AtomicU32::new(0), limit, keys: std::marker::PhantomData }
    }

    /// So many lines are full when it should grow.
    fn limit(bits: u32) -> AtomicU32 {
        AtomicU32::new((FULL * f64::from(1_u32 << bits)) as u32)
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &K::Line {
        let line = line & ((1 << self.bits) - 1);
        // SAFETY: the region has so many lines; it is zeroed, and slots change only through atomics.
        unsafe { &*self.region.start().cast::<K::Line>().add(line) }
    }

    /// The lines that a key may be in, in order.
    #[inline(always)]
    fn path(&self, key: K) -> impl Iterator<Item = &K::Line> {
        let home = key.spread() as usize;
        (0..MAX_LINES).map(move |distance| self.line(home.wrapping_add(distance)))
    }

    /// All keys.
    fn keys(&self) -> impl Iterator<Item = K> {
        (0..1 << self.bits).flat_map(move |line| (0..K::SLOTS).filter_map(move |slot| K::get(self.line(line), slot)))
    }

    /// Whether it should grow soon.
    fn is_almost_full(&self) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        limit < u32::MAX && self.full.load(Ordering::Relaxed) >= limit - limit / 8
    }

    /// A line has become full; whether the segment should grow, or will soon.
    #[inline]
    fn count_full(&self, growth: impl FnOnce() -> Growth) -> Option<Stop> {
        let (full, limit) = (self.full.fetch_add(1, Ordering::Relaxed), self.limit.load(Ordering::Relaxed));
        if full >= limit {
            Some(Stop::Should(growth()))
        } else {
            (full == limit - limit / 4 && self.bits == MAX_BITS).then_some(Stop::Soon)
        }
    }

    /// A line that no key has come to across the line before it, because that has a free slot.
    fn first_line(&self) -> Option<usize> {
        (1..=1 << self.bits).find(|&line| K::get(self.line(line - 1), K::SLOTS - 1).is_none())
    }

    /// Splits it in two of the same size: keeps the keys whose next bit of the hash is 0, and puts the others
    /// into `high`, which is empty.
    ///
    /// Keys are taken out of their lines in order, lines being a ring, and put in again in this order, each into
    /// the first free slot from its home on. So no key comes to lie behind where it was: if all lines from its
    /// home to its old one were full, they would hold more keys than before. Hence it finds a place, and one
    /// that was read already.
    fn split(&mut self, begin: usize, high: &mut Segment<K>) {
        let mut fillings = [Filling::of(self.bits), Filling::of(self.bits)];
        let halves = [&*self, &*high];
        let mut keys = Vec::with_capacity(K::SLOTS);
        for line in (begin..begin + (1 << self.bits)).map(|line| self.line(line)) {
            keys.clear();
            keys.extend((0..K::SLOTS).map_while(|slot| K::get(line, slot)));
            K::clear(line);
            for &key in &keys {
                let half = (key.spread() << self.depth >> 63) as usize;
                let is_in = fillings[half].put(halves[half], key);
                debug_assert!(is_in, "there is room where it was");
            }
        }
        let [low, full] = fillings.map(|filling| filling.full);
        high.full = AtomicU32::new(full);
        self.full = AtomicU32::new(low);
        self.limit = Segment::<K>::limit(self.bits);
        self.depth += 1;
    }
}

/// What one thread that fills a segment knows: how many slots of each line are taken.
struct Filling {
    taken: Vec<u8>,
    full: u32,
}

impl Filling {
    fn of(bits: u32) -> Filling {
        Filling { taken: vec![0; 1 << bits], full: 0 }
    }

    /// Puts a key in that is not there; false if there is no room.
    #[inline]
    fn put<K: Key>(&mut self, segment: &Segment<K>, key: K) -> bool {
        let mask = self.taken.len() - 1;
        let home = key.spread() as usize;
        for distance in 0..MAX_LINES {
            let line = home.wrapping_add(distance) & mask;
            let slot = usize::from(self.taken[line]);
            if slot < K::SLOTS {
                key.put(segment.line(line), slot);
                self.taken[line] += 1;
                self.full += u32::from(slot + 1 == K::SLOTS);
                return true;
            }
        }
        false
    }
}
