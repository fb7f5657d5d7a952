//! State-space caching: a bounded set of states for depth-first search (Godefroid, Holzmann and
//! Pirottin: State-space caching revisited, 1992).
//!
//! States on the stack of the search are pinned; when there is no room for a new state, one that is not
//! pinned is forgotten, and may be visited again later. A search of all states still ends, because it
//! cannot go round a cycle without meeting its own stack, and visits all states, because a state is
//! forgotten only after all that follows it was visited. That holds for safety only: what nested
//! searches mark must not be forgotten.
//!
//! Vectors are compared whole: nothing is taken for known that is not.

mod distinct;
mod replace;
mod store;
mod table;
mod vectors;

use self::distinct::Distinct;
use self::replace::{Entry, Policy};
pub use self::replace::{Replacement, Strata};
pub use self::store::{CacheSession, CacheStore};
use self::table::Table;
use self::vectors::{Vectors, reserve};
use crate::hash::hash_vector;

/// The most states that can be asked for: the numbers of slots share a word with one bit.
const MOST: u32 = (1 << 31) - 1;

/// What kind of transition leads to a state: states that a jump leads to are met again more often than
/// others (paper 002, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A jump, or the beginning of a loop.
    Branch = 1,
    /// A receive.
    Receive,
    /// A send.
    Send,
    /// An assignment.
    Assignment,
    /// Any other.
    Other,
}

/// How a cache is to be.
#[derive(Clone, Copy, Debug)]
pub struct CacheConfig {
    /// How many states it holds at most; at least one, and at least as many as the search has on its
    /// stack if it shall end.
    pub states: u32,
    /// Which state is forgotten.
    pub replacement: Replacement,
    /// Among how many states the one to be forgotten is chosen.
    pub probes: u32,
    /// Where the random numbers begin.
    pub seed: u64,
}

impl Default for CacheConfig {
    fn default() -> CacheConfig {
        CacheConfig { states: 1 << 20, replacement: Replacement::default(), probes: 32, seed: 0 }
    }
}

/// A state that a search arrives at.
#[derive(Clone, Copy, Debug)]
pub struct Visitor<'a> {
    /// Its vector; the bits of the last word beyond its bytes are zero.
    pub words: &'a [u64],
    /// How many bytes that has.
    pub bytes: u32,
    /// What led to it.
    pub kind: Kind,
    /// How many steps the search is away from where it began.
    pub depth: u32,
}

/// Where a state is. It means something as long as the state is pinned, and until the next arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(u32);

/// What came of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The state was not there. Now it is, pinned once, with the payload 0.
    New {
        /// Where.
        slot: Slot,
        /// The payload of the state that was forgotten for it, if one was.
        evicted: Option<u32>,
    },
    /// The state was there.
    Known {
        /// Where. It is not pinned once more: who visits it again says so by [`Cache::pin`].
        slot: Slot,
        /// Whether it is on the stack.
        on_stack: bool,
    },
    /// The state is not there, and all others are pinned: the stack is larger than the cache.
    Full,
}

/// What a cache has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheStatistics {
    /// How often a state was put in.
    pub stored: u64,
    /// How often one was met that was there.
    pub matched: u64,
    /// How often one was forgotten.
    pub evicted: u64,
    /// How many are there.
    pub held: u32,
    /// How many of these are pinned.
    pub pinned: u32,
    /// How many were at the most: with less [room](CacheConfig::states) this search would not end.
    pub most_pinned: u32,
    /// How many different states were met: exact as long as none was forgotten, then an estimate with a
    /// standard error of 0.8 %.
    pub distinct: u64,
    /// How often a state was put in that had been there before: work that was done twice, estimated
    /// from the number of different states.
    pub revisited: u64,
}

/// A bounded set of states for one depth-first search.
#[derive(Debug)]
pub struct Cache {
    config: CacheConfig,
    table: Table,
    vectors: Vectors,
    entries: Vec<Entry>,
    /// The slots of states that may be forgotten, in no order; each entry knows its place.
    unpinned: Vec<u32>,
    policy: Policy,
    distinct: Distinct,
    stored: u64,
    matched: u64,
    evicted: u64,
    /// The last vector that was forgotten, if somebody wrote to it.
    last_evicted: Vec<u64>,
    most_pinned: u32,
}

impl Cache {
    /// An empty cache.
    #[must_use]
    pub fn new(config: CacheConfig) -> Cache {
        let config = CacheConfig { states: config.states.clamp(1, MOST), probes: config.probes.max(1), ..config };
        Cache {
            config,
            table: Table::default(),
            vectors: Vectors::new(config.states),
            entries: Vec::new(),
            unpinned: Vec::new(),
            policy: Policy::new(&config),
            distinct: Distinct::default(),
            stored: 0,
            matched: 0,
            evicted: 0,
            last_evicted: Vec::new(),
            most_pinned: 0,
        }
    }

    /// Where a state is, if it is there; it does not count as met.
    #[must_use]
    pub fn find(&self, words: &[u64], bytes: u32) -> Option<Slot> {
        let tag = (hash_vector(words, bytes, u64::from(bytes)) >> 32) as u32;
        self.table.find(tag, |slot| self.vectors.is(slot, words, bytes)).map(Slot)
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The vector of the state that was forgotten last and whose payload was not 0.
    #[must_use]
    pub fn last_evicted(&self) -> &[u64] {
        &self.last_evicted
    }

    /// The search arrives at a state. If it is new, it is pinned: the search shall visit it, and
    /// [`leave`](Cache::leave) it when that is done.
    pub fn arrive(&mut self, visitor: &Visitor<'_>) -> Arrival {
        let &Visitor { words, bytes, .. } = visitor;
        let hash = hash_vector(words, bytes, u64::from(bytes));
        let tag = (hash >> 32) as u32;
        if let Some(slot) = self.table.find(tag, |slot| self.vectors.is(slot, words, bytes)) {
            let entry = &mut self.entries[slot as usize];
            entry.mark = self.policy.again(entry.mark, visitor);
            self.matched += 1;
            return Arrival::Known { slot: Slot(slot), on_stack: entry.is_pinned() };
        }
        let Some((slot, evicted)) = self.make_room() else { return Arrival::Full };
        let entry = Entry::pinned(tag, self.policy.first(visitor));
        match self.entries.get_mut(slot as usize) {
            Some(old) => *old = entry,
            None => {
                reserve(&mut self.entries, self.config.states as usize);
                self.entries.push(entry);
            }
        }
        self.vectors.set(slot, words, bytes);
        self.table.insert(tag, slot);
        self.distinct.note(hash);
        self.stored += 1;
        self.most_pinned = self.most_pinned.max(self.pinned());
        Arrival::New { slot: Slot(slot), evicted }
    }

    /// A state that was known is visited once more; the search leaves it once more, too.
    pub fn pin(&mut self, slot: Slot) {
        let entry = &mut self.entries[slot.0 as usize];
        let Some(place) = entry.pin() else { return };
        self.unpinned.swap_remove(place as usize);
        if let Some(&moved) = self.unpinned.get(place as usize) {
            self.entries[moved as usize].set_place(place);
        }
        self.most_pinned = self.most_pinned.max(self.pinned());
    }

    /// The search leaves a state, below which it visited so many others. Who pinned it must still hold
    /// it.
    pub fn leave(&mut self, slot: Slot, below: u64) {
        let entry = &mut self.entries[slot.0 as usize];
        entry.mark = self.policy.left(entry.mark, below);
        if entry.unpin(self.unpinned.len() as u32) {
            reserve(&mut self.unpinned, self.config.states as usize);
            self.unpinned.push(slot.0);
        }
    }

    /// What the search wrote to a state.
    #[must_use]
    pub fn payload(&self, slot: Slot) -> u32 {
        self.entries[slot.0 as usize].payload
    }

    /// Writes something to a state, until it is forgotten.
    pub fn set_payload(&mut self, slot: Slot, payload: u32) {
        self.entries[slot.0 as usize].payload = payload;
    }

    /// The vector of a state, and how many bytes it has.
    #[must_use]
    pub fn vector(&self, slot: Slot) -> (&[u64], u32) {
        self.vectors.get(slot.0)
    }

    /// What was done so far. Takes a moment: not to be asked at each step.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        // The estimate cannot be below what is there, nor above what was put in.
        let held = self.entries.len() as u64;
        let estimate = if self.evicted == 0 { self.stored } else { self.distinct.estimate() as u64 };
        let distinct = estimate.clamp(held, self.stored.max(held));
        CacheStatistics {
            stored: self.stored,
            matched: self.matched,
            evicted: self.evicted,
            held: held as u32,
            pinned: self.pinned(),
            most_pinned: self.most_pinned,
            distinct,
            revisited: self.stored - distinct,
        }
    }

    /// Whether the time of the search may explode: states are met more than twice each, and less than half
    /// of them fit in (paper 002, Figure 4). States that are met again after they were forgotten count as
    /// met.
    #[must_use]
    pub fn explosion(&self) -> bool {
        let it = self.statistics();
        it.matched + it.revisited > it.distinct && u64::from(self.config.states) < it.distinct / 2
    }

    /// Bytes of memory in use.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Cache>()
            + self.table.memory()
            + self.vectors.memory()
            + self.entries.capacity() * size_of::<Entry>()
            + self.unpinned.capacity() * size_of::<u32>()
            + self.policy.memory()
            + self.distinct.memory()
    }

    fn pinned(&self) -> u32 {
        (self.entries.len() - self.unpinned.len()) as u32
    }

    /// A slot for a new state, and the payload of the one that was there; none if all are pinned.
    fn make_room(&mut self) -> Option<(u32, Option<u32>)> {
        let held = self.entries.len() as u32;
        if held < self.config.states {
            return Some((held, None));
        }
        let slot = self.policy.victim(&self.entries, &self.unpinned, &self.table)?;
        let Entry { tag, mark, payload, .. } = self.entries[slot as usize];
        if payload != 0 {
            self.last_evicted.clear();
            self.last_evicted.extend_from_slice(self.vectors.get(slot).0);
        }
        self.table.remove(tag, slot);
        self.policy.forget(mark);
        self.pin(Slot(slot));
        self.evicted += 1;
        Some((slot, Some(payload)))
    }
}
