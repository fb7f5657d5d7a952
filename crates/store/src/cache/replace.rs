//! Which state a cache forgets.
//!
//! Each strategy needs one number of a state at most, its mark, and ranks states by it; among some that
//! are not pinned, the one with the highest rank goes, among equals one by chance. Paper 002 (section 5)
//! lists the strategies that Holzmann compared in 1985; random was the best of these, and typed is its
//! own. Geldenhuys (State caching reconsidered, 2004) found none that wins everywhere, and strata the most
//! predictable.

use std::collections::HashMap;

use super::table::Table;
use super::{CacheConfig, Visitor};
use crate::hash::hash_word;

/// Which state is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// Any.
    #[default]
    Random,
    /// One that only transitions of a [kind](super::Kind) lead to whose states are seldom met again.
    Typed,
    /// One that was met most often.
    MostVisited,
    /// One that was met least often.
    LeastVisited,
    /// One of the largest class, where a class are all states that were met equally often.
    LargestClass,
    /// The next in the hash table, in turn.
    RoundRobin,
    /// One below which the fewest states were visited.
    SmallestSubtree,
    /// One that is on none of the levels to be kept.
    Stratified(Strata),
}

/// Levels of a depth-first search to be kept: those at depth `at`, `at + every`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strata {
    /// The distance of two levels.
    pub every: u32,
    /// The first one.
    pub at: u32,
}

impl Replacement {
    /// Those that need no further figure.
    pub const PLAIN: [Replacement; 7] = [
        Replacement::Random,
        Replacement::Typed,
        Replacement::MostVisited,
        Replacement::LeastVisited,
        Replacement::LargestClass,
        Replacement::RoundRobin,
        Replacement::SmallestSubtree,
    ];

    /// Its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Replacement::Random => "random",
            Replacement::Typed => "typed",
            Replacement::MostVisited => "most-visited",
            Replacement::LeastVisited => "least-visited",
            Replacement::LargestClass => "largest-class",
            Replacement::RoundRobin => "round-robin",
            Replacement::SmallestSubtree => "smallest-subtree",
            Replacement::Stratified(_) => "stratified",
        }
    }
}

/// Set in [`Entry::hold`] if the state is pinned.
const PINNED: u32 = 1 << 31;

/// What is known of a state besides its vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) tag: u32,
    /// What the strategy wants to know.
    pub(super) mark: u32,
    /// How often it is pinned, or its place in the list of those that are not.
    hold: u32,
    pub(super) payload: u32,
}

impl Entry {
    /// A new one, pinned once.
    pub(super) fn pinned(tag: u32, mark: u32) -> Entry {
        Entry { tag, mark, hold: PINNED | 1, payload: 0 }
    }

    #[inline]
    pub(super) fn is_pinned(&self) -> bool {
        self.hold & PINNED != 0
    }

    /// Pins it once more; its place in the list if it was not.
    pub(super) fn pin(&mut self) -> Option<u32> {
        let place = (!self.is_pinned()).then_some(self.hold);
        self.hold = if place.is_some() { PINNED | 1 } else { self.hold + 1 };
        place
    }

    /// Whether it is not pinned any more; then it shall have this place in the list.
    pub(super) fn unpin(&mut self, place: u32) -> bool {
        debug_assert!(self.is_pinned(), "who leaves it holds it");
        if !self.is_pinned() {
            return false;
        }
        self.hold -= 1;
        let is_free = self.hold == PINNED;
        if is_free {
            self.hold = place;
        }
        is_free
    }

    pub(super) fn set_place(&mut self, place: u32) {
        self.hold = place;
    }
}

/// A strategy at work.
#[derive(Debug)]
pub(super) struct Policy {
    replacement: Replacement,
    probes: usize,
    /// How many states were met so many times, if that is wanted.
    classes: HashMap<u32, u32>,
    /// The place in the table whose turn it is.
    hand: usize,
    random: u64,
}

impl Policy {
    pub(super) fn new(config: &CacheConfig) -> Policy {
        let CacheConfig { replacement, probes, seed, .. } = *config;
        let probes = if replacement == Replacement::Random { 1 } else { probes as usize };
        Policy { replacement, probes, classes: HashMap::new(), hand: 0, random: seed }
    }

    /// The mark of a state that is met for the first time.
    #[inline]
    pub(super) fn first(&mut self, visitor: &Visitor<'_>) -> u32 {
        match self.replacement {
            Replacement::Random | Replacement::RoundRobin | Replacement::SmallestSubtree => 0,
            Replacement::Typed => visitor.kind as u32,
            Replacement::MostVisited | Replacement::LeastVisited => 1,
            Replacement::LargestClass => {
                *self.classes.entry(1).or_default() += 1;
                1
            }
            Replacement::Stratified(_) => visitor.depth,
        }
    }

    /// The mark of a state that is met again.
    #[inline]
    pub(super) fn again(&mut self, mark: u32, visitor: &Visitor<'_>) -> u32 {
        match self.replacement {
            Replacement::Typed => mark.min(visitor.kind as u32),
            Replacement::MostVisited | Replacement::LeastVisited => mark.saturating_add(1),
            Replacement::LargestClass => {
                self.forget(mark);
                *self.classes.entry(mark.saturating_add(1)).or_default() += 1;
                mark.saturating_add(1)
            }
            _ => mark,
        }
    }

    /// The mark of a state below which so many were visited.
    #[inline]
    pub(super) fn left(&self, mark: u32, below: u64) -> u32 {
        match self.replacement {
            // Of several visits the largest counts: a second one often has little left to do.
            Replacement::SmallestSubtree => mark.max(u32::try_from(below).unwrap_or(u32::MAX)),
            _ => mark,
        }
    }

    /// A state with this mark is gone.
    pub(super) fn forget(&mut self, mark: u32) {
        if let Some(count) = self.classes.get_mut(&mark) {
            *count -= 1;
            if *count == 0 {
                self.classes.remove(&mark);
            }
        }
    }

    /// The state to be forgotten; none if all are pinned.
    pub(super) fn victim(&mut self, entries: &[Entry], unpinned: &[u32], table: &Table) -> Option<u32> {
        if unpinned.is_empty() {
            return None;
        }
        if self.replacement == Replacement::RoundRobin {
            return self.next_in_turn(entries, table);
        }
        let start = self.below(unpinned.len());
        let mut best = (0, unpinned[start]);
        let mut equal = 0;
        for step in 0..self.probes.min(unpinned.len()) {
            let slot = unpinned[(start + step) % unpinned.len()];
            let rank = self.rank(entries[slot as usize].mark);
            if equal == 0 || rank > best.0 {
                best = (rank, slot);
                equal = 1;
            } else if rank == best.0 {
                equal += 1;
                if self.below(equal) == 0 {
                    best.1 = slot;
                }
            }
        }
        Some(best.1)
    }

    pub(super) fn memory(&self) -> usize {
        self.classes.capacity() * size_of::<(u32, u32)>()
    }

    /// The higher, the sooner it is forgotten.
    #[inline]
    fn rank(&self, mark: u32) -> u32 {
        match self.replacement {
            Replacement::Random | Replacement::RoundRobin => 0,
            Replacement::Typed | Replacement::MostVisited => mark,
            Replacement::LeastVisited | Replacement::SmallestSubtree => !mark,
            Replacement::LargestClass => self.classes.get(&mark).copied().unwrap_or(0),
            Replacement::Stratified(Strata { every, at }) => {
                let every = every.max(1);
                u32::from(mark % every != at % every)
            }
        }
    }

    /// The next in the order of the table, which is that of hashes: in the order of slots, which is that of
    /// arrivals, the oldest would go, and a cache of 80 % of the states of DTP took 13 times as many steps.
    fn next_in_turn(&mut self, entries: &[Entry], table: &Table) -> Option<u32> {
        let (place, slot) = table.next(self.hand, |slot| !entries[slot as usize].is_pinned())?;
        // What lies behind a cell that becomes free moves up: it is the next.
        self.hand = place;
        Some(slot)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random = self.random.wrapping_add(1);
        ((u128::from(hash_word(self.random)) * limit as u128) >> 64) as usize
    }
}
