//! A concurrent set of words that are spread evenly: hashes, or what a permutation made of them.
//!
//! Lines of eight slots, filled in order by compare-and-swap from 0; a line that is full overflows
//! into those behind it. The directory and its growth are those of [`crate::extendible`].

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use crate::budget::Budget;
use crate::extendible::Extendible;
use crate::region::{Region, prefetch};

/// The logarithm of the lines of a new table.
const FIRST_BITS: u32 = 4;
/// The logarithm of the lines of a segment of 2 MiB, which splits rather than doubles.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// An entry lies in one of so many lines.
const MAX_LINES: usize = 8;

/// Addresses that are asked for together.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<*const u8>);

// SAFETY: these are only leftovers of the last batch; none is used again.
unsafe impl Send for Lines {}

/// The lines of some words, on their way.
pub(crate) struct Fetched<'a> {
    lines: &'a [*const u8],
    /// The table must not change while they are used.
    _table: &'a Extendible<Segment>,
}

impl Fetched<'_> {
    /// Whether a word is where it is as a rule: in the line that was fetched for it, as the n-th.
    /// If not, it may still be in another line.
    #[inline(always)]
    pub(crate) fn is_home(&self, n: usize, fingerprint: u64) -> bool {
        // SAFETY: `fetch_all` made it from a segment of the table that is still borrowed.
        let line = unsafe { &*self.lines[n].cast::<Line>() };
        // All slots are looked at: a branch for each would be guessed wrong too often.
        line.iter().fold(false, |found, slot| found | (slot.load(Ordering::Relaxed) == fingerprint))
    }
}

/// The set. The word 0 cannot be in it.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    table: RwLock<Extendible<Segment>>,
    /// The memory of the segment that was split last: to clear it is several times faster than to
    /// get new memory from the operating system.
    spare: Mutex<Option<Region>>,
    budget: Arc<Budget>,
}

type Line = [AtomicU64; 8];

#[derive(Debug)]
pub(crate) struct Segment {
    region: Region,
    bits: u32,
    depth: u32,
    /// How many lines are full.
    full: AtomicU32,
    /// With more of them it should grow.
    limit: AtomicU32,
}

/// A segment that should grow, and its size then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    segment: u32,
    size: u32,
}

pub(crate) enum Entered {
    Old,
    New(Option<Growth>),
    Crowded(Growth),
}

impl Fingerprints {
    pub(crate) fn new(budget: Arc<Budget>) -> Fingerprints {
        let segment = Segment::new(FIRST_BITS, 0).expect("there is memory for a few lines");
        budget.force(segment.region.bytes());
        Fingerprints { table: RwLock::new(Extendible::new(segment)), spare: Mutex::new(None), budget }
    }

    /// The table, for as long as the guard lives.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Extendible<Segment>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.read().segments.iter().map(|segment| 8 << segment.bits).sum()
    }

    /// Doubles or splits a segment; false if that cannot be.
    #[cold]
    pub(crate) fn grow(&self, growth: Growth) -> bool {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let segment = &table.segments[growth.segment as usize];
        if segment.bits + segment.depth != growth.size {
            return true;
        }
        let (depth, bytes, splits) = (segment.depth, segment.region.bytes(), segment.bits == MAX_BITS);
        let mut kept = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = if splits { kept.take() } else { None };
        let again = spare.as_ref().map_or(0, Region::bytes);
        let taken = 2 * bytes - again + if splits { table.cost(depth) } else { 0 };
        let parts = if self.budget.take(taken) { segment.doubled(spare) } else { None };
        let Some(mut parts) = parts else {
            // What was taken without success stays taken: there is no memory anyway.
            segment.limit.store(u32::MAX, Ordering::Relaxed);
            return false;
        };
        match (parts.pop(), parts.pop()) {
            (Some(high), Some(low)) => *kept = Some(table.split(growth.segment, depth, [low, high]).region),
            (Some(whole), None) => {
                table.replace(growth.segment, whole);
                self.budget.give_back(bytes);
            }
            _ => unreachable!("a segment becomes one or two"),
        }
        true
    }
}

impl Extendible<Segment> {
    #[inline(always)]
    fn segment(&self, fingerprint: u64) -> (&Segment, u32) {
        let number = self.number(fingerprint);
        (&self.segments[number as usize], number)
    }

    /// Asks for the lines of words: first all addresses, then all prefetches.
    #[inline]
    pub(crate) fn fetch_all<'a>(&'a self, fingerprints: &[u64], lines: &'a mut Lines) -> Fetched<'a> {
        lines.0.clear();
        lines.0.extend(fingerprints.iter().map(|&fingerprint| {
            let segment = self.segment(fingerprint).0;
            segment.region.start().wrapping_add(segment.home(fingerprint) * size_of::<Line>()).cast_const()
        }));
        lines.0.iter().for_each(|&line| prefetch(line));
        Fetched { lines: &lines.0, _table: self }
    }

    /// Whether a word is there.
    #[inline]
    pub(crate) fn has(&self, fingerprint: u64) -> bool {
        let segment = self.segment(fingerprint).0;
        let home = segment.home(fingerprint);
        for distance in 0..MAX_LINES {
            let (found, free) = look(segment.line(home + distance), fingerprint);
            if found || free < 8 {
                return found;
            }
        }
        false
    }

    /// Looks for a word, and puts it in if it is not there.
    #[inline]
    pub(crate) fn enter(&self, fingerprint: u64) -> Entered {
        let (segment, number) = self.segment(fingerprint);
        let growth = || Growth { segment: number, size: segment.bits + segment.depth };
        let home = segment.home(fingerprint);
        for distance in 0..MAX_LINES {
            let line = segment.line(home + distance);
            let (found, free) = look(line, fingerprint);
            if found {
                return Entered::Old;
            }
            for (at, slot) in line.iter().enumerate().skip(free) {
                match slot.compare_exchange(0, fingerprint, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        let is_full = at + 1 == line.len() && segment.count_full();
                        return Entered::New(is_full.then(growth));
                    }
                    Err(other) if other == fingerprint => return Entered::Old,
                    Err(_) => {}
                }
            }
        }
        Entered::Crowded(growth())
    }
}

/// Whether a line has a word, and its first free slot; 8 if it has none. All slots are looked at:
/// a branch for each would be guessed wrong too often.
#[inline(always)]
fn look(line: &Line, fingerprint: u64) -> (bool, usize) {
    let (mut found, mut filled) = (false, 0);
    for slot in line {
        let word = slot.load(Ordering::Relaxed);
        found |= word == fingerprint;
        filled += usize::from(word != 0);
    }
    (found, filled)
}

impl Segment {
    fn new(bits: u32, depth: u32) -> Option<Segment> {
        Some(Segment::in_region(Region::zeroed(size_of::<Line>() << bits)?, bits, depth))
    }

    fn in_region(region: Region, bits: u32, depth: u32) -> Segment {
        // So many lines are full at a load of about 0.8.
        let limit = AtomicU32::new((0.4 * f64::from(1_u32 << bits)) as u32);
        Segment { region, bits, depth, full: AtomicU32::new(0), limit }
    }

    #[inline(always)]
    fn home(&self, fingerprint: u64) -> usize {
        (fingerprint << self.depth >> (64 - self.bits)) as usize
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &Line {
        let line = line & ((1 << self.bits) - 1);
        // SAFETY: the region has so many lines; it is zeroed, and slots change only through atomics.
        unsafe { &*self.region.start().cast::<Line>().add(line) }
    }

    /// A line has become full; true if the segment should grow.
    #[inline]
    fn count_full(&self) -> bool {
        self.full.fetch_add(1, Ordering::Relaxed) >= self.limit.load(Ordering::Relaxed)
    }

    /// The same entries in one segment of twice the size, or in two. `spare` is as large as it is.
    fn doubled(&self, spare: Option<Region>) -> Option<Vec<Segment>> {
        let parts = if self.bits < MAX_BITS {
            vec![Segment::new(self.bits + 1, self.depth)?]
        } else {
            let first = match spare {
                Some(spare) => Segment::in_region(spare.cleared(), self.bits, self.depth + 1),
                None => Segment::new(self.bits, self.depth + 1)?,
            };
            vec![first, Segment::new(self.bits, self.depth + 1)?]
        };
        for slot in (0..1 << self.bits).flat_map(|line| self.line(line)) {
            let fingerprint = slot.load(Ordering::Relaxed);
            let half = (fingerprint << self.depth >> 63) as usize;
            if fingerprint != 0 && !parts[half.min(parts.len() - 1)].put_alone(fingerprint) {
                return None;
            }
        }
        Some(parts)
    }

    fn put_alone(&self, fingerprint: u64) -> bool {
        let home = self.home(fingerprint);
        (0..MAX_LINES).any(|distance| {
            let line = self.line(home + distance);
            let free = line.iter().position(|slot| slot.load(Ordering::Relaxed) == 0);
            if let Some(free) = free {
                line[free].store(fingerprint, Ordering::Relaxed);
                self.full.fetch_add(u32::from(free + 1 == line.len()), Ordering::Relaxed);
            }
            free.is_some()
        })
    }
}
