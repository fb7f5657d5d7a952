//! Hash compaction (Wolper and Leroy 1993): of a vector, 64 bits of its hash are kept.
//!
//! A set of `n` vectors loses about `n * (n - 1) / 2^65` of them. Lines of eight slots, filled in order
//! by compare-and-swap from 0; a line that is full overflows into those behind it. The directory and
//! its growth are those of [`crate::extendible`].

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::budget::Budget;
use crate::extendible::Extendible;
use crate::hash::hash_vector;
use crate::region::{Region, prefetch};
use crate::store::{Batch, Config, Guarantee, Handle, Item, Seen, Store};

/// The logarithm of the lines of a new table.
const FIRST_BITS: u32 = 4;
/// The logarithm of the lines of a segment of 2 MiB, which splits rather than doubles.
const MAX_BITS: u32 = if cfg!(miri) { 7 } else { 15 };
/// An entry lies in one of so many lines.
const MAX_LINES: usize = 8;
/// How many items ahead the lines are fetched.
const AHEAD: usize = 24;

/// A set of fingerprints: 8 bytes a slot, whatever the length of the vectors.
#[derive(Debug)]
pub struct HashCompactStore {
    table: RwLock<Extendible<Segment>>,
    budget: Budget,
    vectors: AtomicU64,
    seed: u64,
}

/// What a thread needs to use a [`HashCompactStore`].
#[derive(Debug, Default)]
pub struct HashCompactSession {
    fingerprints: Vec<u64>,
}

type Line = [AtomicU64; 8];

#[derive(Debug)]
struct Segment {
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
struct Growth {
    segment: u32,
    size: u32,
}

enum Entered {
    Old,
    New(Option<Growth>),
    Crowded(Growth),
}

impl HashCompactStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: &Config) -> HashCompactStore {
        let budget = Budget::new(config);
        let segment = Segment::new(FIRST_BITS, 0).expect("there is memory for a few lines");
        budget.force(segment.region.bytes() + size_of::<HashCompactStore>());
        let table = RwLock::new(Extendible::new(segment));
        HashCompactStore { table, budget, vectors: AtomicU64::new(0), seed: config.seed }
    }

    fn read(&self) -> RwLockReadGuard<'_, Extendible<Segment>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn hash_all(&self, session: &mut HashCompactSession, batch: &Batch<'_>) {
        let fingerprint = |item: &Item| {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            // 0 is a free slot.
            hash_vector(batch.vector(item), item.bytes, self.seed ^ u64::from(item.bytes) << 32).max(1)
        };
        session.fingerprints.clear();
        session.fingerprints.extend(batch.items.iter().map(fingerprint));
    }

    /// Enters fingerprints until a segment should, or must, grow; returns how many have an answer.
    fn insert_some(&self, fingerprints: &[u64], seen: &mut Vec<Seen>) -> (usize, Option<(Growth, bool)>) {
        let table = self.read();
        fingerprints.iter().take(AHEAD).for_each(|&fingerprint| table.fetch(fingerprint));
        for (at, &fingerprint) in fingerprints.iter().enumerate() {
            if let Some(&later) = fingerprints.get(at + AHEAD) {
                table.fetch(later);
            }
            match table.enter(fingerprint) {
                Entered::Old => seen.push(Seen::Old),
                Entered::Crowded(growth) => return (at, Some((growth, true))),
                Entered::New(growth) => {
                    seen.push(Seen::New(Handle(fingerprint)));
                    if let Some(growth) = growth {
                        return (at + 1, Some((growth, false)));
                    }
                }
            }
        }
        (fingerprints.len(), None)
    }

    /// Doubles or splits a segment; false if that cannot be.
    #[cold]
    fn grow(&self, growth: Growth) -> bool {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let segment = &table.segments[growth.segment as usize];
        if segment.bits + segment.depth != growth.size {
            return true;
        }
        let (depth, bytes, splits) = (segment.depth, segment.region.bytes(), segment.bits == MAX_BITS);
        let taken = 2 * bytes + if splits { table.cost(depth) } else { 0 };
        let parts = if self.budget.take(taken) { segment.doubled() } else { None };
        let Some(mut parts) = parts else {
            // What was taken without success stays taken: there is no memory anyway.
            segment.limit.store(u32::MAX, Ordering::Relaxed);
            return false;
        };
        match (parts.pop(), parts.pop()) {
            (Some(high), Some(low)) => table.split(growth.segment, depth, [low, high]),
            (Some(whole), None) => table.replace(growth.segment, whole),
            _ => unreachable!("a segment becomes one or two"),
        };
        self.budget.give_back(bytes);
        true
    }
}

impl Extendible<Segment> {
    #[inline(always)]
    fn segment(&self, fingerprint: u64) -> (&Segment, u32) {
        let number = self.number(fingerprint);
        (&self.segments[number as usize], number)
    }

    #[inline]
    fn fetch(&self, fingerprint: u64) {
        let segment = self.segment(fingerprint).0;
        prefetch(segment.region.start().wrapping_add(segment.home(fingerprint) * size_of::<Line>()));
    }

    #[inline]
    fn has(&self, fingerprint: u64) -> bool {
        let segment = self.segment(fingerprint).0;
        let home = segment.home(fingerprint);
        for distance in 0..MAX_LINES {
            for slot in segment.line(home + distance) {
                match slot.load(Ordering::Relaxed) {
                    0 => return false,
                    found if found == fingerprint => return true,
                    _ => {}
                }
            }
        }
        false
    }

    #[inline]
    fn enter(&self, fingerprint: u64) -> Entered {
        let (segment, number) = self.segment(fingerprint);
        let growth = || Growth { segment: number, size: segment.bits + segment.depth };
        let home = segment.home(fingerprint);
        for distance in 0..MAX_LINES {
            let line = segment.line(home + distance);
            for (at, slot) in line.iter().enumerate() {
                let mut found = slot.load(Ordering::Relaxed);
                if found == 0 {
                    match slot.compare_exchange(0, fingerprint, Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => {
                            let is_full = at + 1 == line.len() && segment.count_full();
                            return Entered::New(is_full.then(growth));
                        }
                        Err(other) => found = other,
                    }
                }
                if found == fingerprint {
                    return Entered::Old;
                }
            }
        }
        Entered::Crowded(growth())
    }
}

impl Segment {
    fn new(bits: u32, depth: u32) -> Option<Segment> {
        let region = Region::zeroed(size_of::<Line>() << bits)?;
        // So many lines are full at a load of about 0.8.
        let limit = AtomicU32::new((0.4 * f64::from(1_u32 << bits)) as u32);
        Some(Segment { region, bits, depth, full: AtomicU32::new(0), limit })
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

    /// The same entries in one segment of twice the size, or in two.
    fn doubled(&self) -> Option<Vec<Segment>> {
        let parts = if self.bits < MAX_BITS {
            vec![Segment::new(self.bits + 1, self.depth)?]
        } else {
            vec![Segment::new(self.bits, self.depth + 1)?, Segment::new(self.bits, self.depth + 1)?]
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

impl Store for HashCompactStore {
    type Session = HashCompactSession;

    const RECOVERS: bool = false;

    fn session(&self) -> HashCompactSession {
        HashCompactSession::default()
    }

    fn insert(&self, session: &mut HashCompactSession, batch: &Batch<'_>, seen: &mut Vec<Seen>) {
        self.hash_all(session, batch);
        let (first, mut from, mut refused) = (seen.len(), 0, 0);
        while from < session.fingerprints.len() {
            let (answered, growth) = self.insert_some(&session.fingerprints[from..], seen);
            from += answered;
            if let Some((growth, must)) = growth
                && !self.grow(growth)
                && must
            {
                seen.push(Seen::Full);
                from += 1;
                refused += 1;
            }
        }
        let old = seen[first..].iter().filter(|&&seen| seen == Seen::Old).count();
        self.vectors.fetch_add((from - old - refused) as u64, Ordering::Relaxed);
    }

    fn lookup(&self, session: &mut HashCompactSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.hash_all(session, batch);
        let table = self.read();
        session.fingerprints.iter().take(AHEAD).for_each(|&fingerprint| table.fetch(fingerprint));
        known.extend(session.fingerprints.iter().enumerate().map(|(at, &fingerprint)| {
            if let Some(&later) = session.fingerprints.get(at + AHEAD) {
                table.fetch(later);
            }
            table.has(fingerprint)
        }));
    }

    /// Never to be called: a fingerprint says nothing of its vector.
    fn load(&self, _session: &mut HashCompactSession, _handle: Handle, _words: &mut Vec<u64>) -> u32 {
        unreachable!("fingerprints do not recover vectors")
    }

    fn len(&self) -> u64 {
        self.vectors.load(Ordering::Relaxed)
    }

    fn memory(&self) -> usize {
        self.budget.used()
    }

    fn fill(&self) -> f64 {
        let slots: usize = self.read().segments.iter().map(|segment| 8 << segment.bits).sum();
        self.len() as f64 / slots as f64
    }

    fn guarantee(&self) -> Guarantee {
        let vectors = self.len() as f64;
        Guarantee::Probabilistic { expected_omissions: vectors * (vectors - 1.0).max(0.0) / 2_f64.powi(65) }
    }
}
